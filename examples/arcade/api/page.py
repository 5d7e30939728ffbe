"""The page: how everything stands, looked at anew every two seconds."""

from collections.abc import Sequence
from html import escape

from examples.running.database.database import Database, Row

TABLES = {
    "Streamers": (
        "streamer, coins, yell points, totals",
        (
            "SELECT id, bcoin, yell_points, (SELECT count(*) FROM gift_total WHERE streamer_id = streamer.id) "
            "FROM streamer ORDER BY id"
        ),
    ),
    "Rooms": (
        "kind, open, closed",
        (
            "SELECT kind, sum(CASE state WHEN 'open' THEN 1 ELSE 0 END), sum(CASE state WHEN 'open' THEN 0 ELSE 1 END) "
            "FROM room GROUP BY kind ORDER BY kind"
        ),
    ),
    "Settings": (
        "id, name, playable, waiting",
        (
            "SELECT id, name, playable, (SELECT count(*) FROM ticket WHERE setting_id = playable_setting.id "
            "AND state = 'waiting') FROM playable_setting ORDER BY id"
        ),
    ),
    "Machines": ("id, name, state, pings", "SELECT id, name, state, pings FROM machine ORDER BY id"),
    "Jobs": (
        "job, ticks, changed, last tick",
        "SELECT job, count(*), sum(changed), max(tick) FROM done_tick GROUP BY job ORDER BY job",
    ),
    "Dead letters": (
        "origin, reason, message, state",
        "SELECT origin, reason, message, state FROM letter ORDER BY at DESC LIMIT 20",
    ),
}
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Arcade</title>'
    '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    "<style>body{font:15px system-ui;margin:2rem;display:flex;flex-wrap:wrap;align-items:start;gap:2rem}"
    "h1{width:100%;margin:0}table{border-collapse:collapse}caption{font-weight:bold;text-align:left}"
    "td,th{padding:.2rem .6rem;"
    "border-bottom:1px solid #ccc;text-align:left}:root{color-scheme:light dark}</style><h1>Arcade</h1>"
)


async def page(database: Database) -> str:
    """All of it, as HTML."""
    return HEAD + "".join([_table(title, names, await database.read(sql)) for title, (names, sql) in TABLES.items()])


def _table(title: str, names: str, rows: Sequence[Row]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names.split(", "))
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>"
