"""The tables, for both databases."""

from examples.arcade.database.seed import seed
from examples.running.database.database import Database, Desk
from examples.running.database.opening import database_at

TABLES = (
    # --- what decides which queues are listened to --------------------------------------------------
    # Two players for `matching-pvp-…`, `players` of them for `matching-pvp-multi-…`; whose ratings are at most `band`
    # apart.
    """
    CREATE TABLE IF NOT EXISTS playable_setting (
        id BIGINT PRIMARY KEY, name TEXT NOT NULL, players BIGINT NOT NULL, band BIGINT NOT NULL,
        playable BOOLEAN NOT NULL DEFAULT TRUE
    )
    """,
    # `state` is idle, waiting (somebody has its start room), playing, overtime, or broken.
    """
    CREATE TABLE IF NOT EXISTS machine (
        id BIGINT PRIMARY KEY, name TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'idle',
        since DOUBLE PRECISION NOT NULL DEFAULT 0, pings BIGINT NOT NULL DEFAULT 0
    )
    """,
    # --- players and rooms ----------------------------------------------------------------------------
    """
    CREATE TABLE IF NOT EXISTS player (
        id BIGINT PRIMARY KEY, name TEXT NOT NULL, rating BIGINT NOT NULL, coins BIGINT NOT NULL DEFAULT 0,
        leaves DOUBLE PRECISION, gone BOOLEAN NOT NULL DEFAULT FALSE
    )
    """,
    # `origin` is what the room was opened for: a message that comes twice opens one.
    """
    CREATE TABLE IF NOT EXISTS room (
        id {numbered}, origin TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, place BIGINT NOT NULL,
        state TEXT NOT NULL DEFAULT 'open', created DOUBLE PRECISION NOT NULL
    )
    """,
    # Who is in which open room: nobody is in two.
    "CREATE TABLE IF NOT EXISTS seat (player_id BIGINT PRIMARY KEY, room_id BIGINT NOT NULL)",
    """
    CREATE TABLE IF NOT EXISTS old_room (
        id BIGINT PRIMARY KEY, kind TEXT NOT NULL, created DOUBLE PRECISION NOT NULL
    )
    """,
    # `state` is waiting, matched, or void: the player is in a room already, or nobody came.
    """
    CREATE TABLE IF NOT EXISTS ticket (
        id TEXT PRIMARY KEY, setting_id BIGINT NOT NULL, kind TEXT NOT NULL, player_id BIGINT NOT NULL,
        rating BIGINT NOT NULL, state TEXT NOT NULL, room_id BIGINT, created DOUBLE PRECISION NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS ticket_waiting ON ticket (setting_id, kind, rating) WHERE state = 'waiting'",
    "CREATE TABLE IF NOT EXISTS play_session (id TEXT PRIMARY KEY, ends DOUBLE PRECISION NOT NULL)",
    # --- money ------------------------------------------------------------------------------------------
    # `method` is card, crypto or token; `state` is pending, paid (the bank says so), done or expired.
    """
    CREATE TABLE IF NOT EXISTS payment (
        id TEXT PRIMARY KEY, method TEXT NOT NULL, player_id BIGINT NOT NULL, coins BIGINT NOT NULL,
        state TEXT NOT NULL, created DOUBLE PRECISION NOT NULL
    )
    """,
    # What players got or gave, each once: prizes, draws, payments, rents.
    """
    CREATE TABLE IF NOT EXISTS booking (
        id TEXT PRIMARY KEY, player_id BIGINT NOT NULL, coins BIGINT NOT NULL, what TEXT NOT NULL,
        at DOUBLE PRECISION NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS nft (
        id BIGINT PRIMARY KEY, owner_id BIGINT NOT NULL, life BIGINT NOT NULL, earned BIGINT NOT NULL DEFAULT 0
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS rental (
        id TEXT PRIMARY KEY, nft_id BIGINT NOT NULL, player_id BIGINT NOT NULL, state TEXT NOT NULL,
        ends DOUBLE PRECISION NOT NULL
    )
    """,
    # `kind` is event, tournament or daily; `state` is open or closed.
    """
    CREATE TABLE IF NOT EXISTS leaderboard (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL, ends DOUBLE PRECISION NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS score (
        board_id TEXT NOT NULL, player_id BIGINT NOT NULL, points BIGINT NOT NULL, PRIMARY KEY (board_id, player_id)
    )
    """,
    # --- streamers ----------------------------------------------------------------------------------------
    """
    CREATE TABLE IF NOT EXISTS streamer (
        id TEXT PRIMARY KEY, bcoin BIGINT NOT NULL DEFAULT 0, yell_points BIGINT NOT NULL DEFAULT 0
    )
    """,
    # Every total in the order in which it was applied; nothing here keeps one from being applied twice.
    """
    CREATE TABLE IF NOT EXISTS gift_total (
        number {numbered}, streamer_id TEXT NOT NULL, job_id TEXT NOT NULL, total BIGINT NOT NULL,
        worker TEXT NOT NULL, at DOUBLE PRECISION NOT NULL
    )
    """,
    "CREATE TABLE IF NOT EXISTS livestream (id TEXT PRIMARY KEY, streamer_id TEXT NOT NULL, title TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS event_type (id TEXT PRIMARY KEY, name TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS yell (id TEXT PRIMARY KEY, streamer_id TEXT NOT NULL, points BIGINT NOT NULL)",
    # --- what the platform is told, and tells -------------------------------------------------------------
    """
    CREATE TABLE IF NOT EXISTS told (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, player_id BIGINT NOT NULL, text TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS site (
        id BIGINT PRIMARY KEY, state TEXT NOT NULL, closes DOUBLE PRECISION NOT NULL, opens DOUBLE PRECISION NOT NULL
    )
    """,
    # Every dead letter with its origin, for review; `state` is new, or told.
    """
    CREATE TABLE IF NOT EXISTS letter (
        id TEXT PRIMARY KEY, job_id TEXT NOT NULL, origin TEXT NOT NULL, task TEXT NOT NULL, reason TEXT NOT NULL,
        message TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'new', at DOUBLE PRECISION NOT NULL
    )
    """,
    # --- jobs ---------------------------------------------------------------------------------------------
    # Every attempt at a tick, and every tick that had its effect.
    """
    CREATE TABLE IF NOT EXISTS attempt (
        job TEXT NOT NULL, tick TEXT NOT NULL, worker TEXT NOT NULL, at DOUBLE PRECISION NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS done_tick (
        tick TEXT PRIMARY KEY, job TEXT NOT NULL, changed BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL
    )
    """,
    # Prizes that a tick decided on; its worker sends them afterwards, or whoever does the tick after it.
    """
    CREATE TABLE IF NOT EXISTS decided_prize (
        award_id TEXT PRIMARY KEY, tick TEXT NOT NULL, name TEXT NOT NULL, player_id BIGINT NOT NULL,
        coins BIGINT NOT NULL, at DOUBLE PRECISION NOT NULL
    )
    """,
    # Who wrote last for each lane, and what: `ctx.commit_with` keeps it.
    """
    CREATE TABLE IF NOT EXISTS goatherd_fence (
        lane VARCHAR(512) PRIMARY KEY, token BIGINT NOT NULL, seq BIGINT NOT NULL
    )
    """,
)
#: Where it is, all of them are.
LANDMARK = "goatherd_fence"


async def make_tables(desk: Desk, numbered: str) -> None:
    """Have them all; `numbered` is how this database says that it numbers rows itself."""
    for table in TABLES:
        await desk.do(table.replace("{numbered}", numbered))
    [(count,)] = await desk.do("SELECT count(*) FROM playable_setting")
    if count == 0:
        await seed(desk)


def game_at(url: str) -> Database:
    """The database that a URL names; it is not opened yet."""
    return database_at(url, make_tables, LANDMARK)
