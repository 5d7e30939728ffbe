"""The tables, for both databases, and the posts that are there at first."""

from examples.running.database.database import Desk

#: `version` grows with every change of a post or of what belongs to it; rows have that of their latest change. Since a
#: change first takes the post's row, versions become visible in their order, and whoever asks for what is newer than
#: the last one that he saw misses nothing.
TABLES = (
    """
    CREATE TABLE IF NOT EXISTS post (
        id {numbered}, title TEXT NOT NULL, body TEXT NOT NULL,
        submitted BIGINT NOT NULL DEFAULT 0, written BIGINT NOT NULL DEFAULT 0, likes BIGINT NOT NULL DEFAULT 0,
        closed BOOLEAN NOT NULL DEFAULT FALSE, version BIGINT NOT NULL DEFAULT 1
    )
    """,
    # What was accepted, and how it stands.
    """
    CREATE TABLE IF NOT EXISTS submission (
        id TEXT PRIMARY KEY, post_id BIGINT NOT NULL, number BIGINT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL,
        state TEXT NOT NULL, tries BIGINT NOT NULL DEFAULT 0, told TEXT NOT NULL DEFAULT '',
        worker TEXT NOT NULL DEFAULT '', begun DOUBLE PRECISION, ended DOUBLE PRECISION, version BIGINT NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS submission_of_post ON submission (post_id, version)",
    # What was written. Nothing here keeps a comment from being written twice: that is what the fence is for.
    """
    CREATE TABLE IF NOT EXISTS comment (
        id TEXT NOT NULL, post_id BIGINT NOT NULL, place BIGINT NOT NULL, number BIGINT NOT NULL,
        author TEXT NOT NULL, text TEXT NOT NULL, edits BIGINT NOT NULL DEFAULT 0
    )
    """,
    "CREATE INDEX IF NOT EXISTS comment_by_id ON comment (id)",
    "CREATE TABLE IF NOT EXISTS liked (post_id BIGINT NOT NULL, who TEXT NOT NULL, PRIMARY KEY (post_id, who))",
    # Who wrote last for each lane, and what: `ctx.commit_with` keeps it, unless the lanes are in this very database.
    """
    CREATE TABLE IF NOT EXISTS goatherd_fence (
        lane VARCHAR(512) PRIMARY KEY, token BIGINT NOT NULL, seq BIGINT NOT NULL
    )
    """,
)
#: Where it is, all of them are.
LANDMARK = "comment_by_id"

FIRST_POSTS = (
    ("The bridge", "Two goats met in the middle of a bridge, and neither would go back. What should they have done?"),
    ("Spring grass", "The first grass is out on the south slope. Who goes up, and when?"),
    ("A new bell", "The bellwether gets a new bell. Cast bronze or hammered iron?"),
)


async def make_tables(desk: Desk, numbered: str) -> None:
    """Have them all; `numbered` is how this database says that it numbers rows itself."""
    for table in TABLES:
        await desk.do(table.replace("{numbered}", numbered))
    [(count,)] = await desk.do("SELECT count(*) FROM post")
    if count == 0:
        for title, body in FIRST_POSTS:
            await desk.do("INSERT INTO post (title, body) VALUES (?, ?)", title, body)
