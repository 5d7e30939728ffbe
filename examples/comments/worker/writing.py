"""What workers change in the database: the effects are `write`, `edit`, `close` and `like`; the rest is to be seen."""

import time
from dataclasses import dataclass

from examples.comments.database.changes import change
from examples.running.database.database import Desk


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A comment that was accepted."""

    id: str
    post_id: int
    #: The how-many-th comment it was that somebody submitted to the post.
    number: int
    author: str
    text: str


async def begin(desk: Desk, one: Submitted, worker: str) -> int:
    """It is being written from now on; how often that was tried, this time included."""
    version = await change(desk, one.post_id)
    # Whoever accepted it may have died before it could note it.
    rows = await desk.do(
        "INSERT INTO submission (id, post_id, number, author, text, state, tries, worker, begun, version) "
        "VALUES (?, ?, ?, ?, ?, 'writing', 1, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = 'writing', "
        "tries = submission.tries + 1, worker = excluded.worker, begun = excluded.begun, version = excluded.version "
        "WHERE submission.state NOT IN ('done', 'refused') RETURNING tries",
        one.id, one.post_id, one.number, one.author, one.text, worker, time.time(), version,
    )  # fmt: skip
    # The lane has come to this one, so those before it will not be written.
    await desk.do(
        "UPDATE submission SET state = 'skipped', version = ? WHERE post_id = ? AND number < ? "
        "AND state IN ('waiting', 'writing', 'retrying', 'held')",
        version, one.post_id, one.number,
    )  # fmt: skip
    return int(rows[0][0]) if rows else 0


async def tell(desk: Desk, one: Submitted, state: str, why: str) -> None:
    """It could not be written: it will be tried again, or not."""
    version = await change(desk, one.post_id)
    await desk.do(
        "UPDATE submission SET state = ?, told = ?, version = ? WHERE id = ? AND state NOT IN ('done', 'refused')",
        state, why, version, one.id,
    )  # fmt: skip


async def write(desk: Desk, one: Submitted) -> int | None:
    """The comment stands under its post: its place, or None if the post takes none any more."""
    version = await change(desk, one.post_id)
    [(closed,)] = await desk.do("SELECT closed FROM post WHERE id = ?", one.post_id)
    place = None if closed else await _write(desk, one)
    state, told = ("done", "") if place is not None else ("refused", "comments were closed before it")
    await desk.do(
        "UPDATE submission SET state = ?, told = ?, ended = ?, version = ? WHERE id = ?",
        state, told, time.time(), version, one.id,
    )  # fmt: skip
    return place


async def _write(desk: Desk, one: Submitted) -> int:
    taken = await desk.do("UPDATE post SET written = written + 1 WHERE id = ? RETURNING written", one.post_id)
    place = int(taken[0][0])
    await desk.do(
        "INSERT INTO comment (id, post_id, place, number, author, text) VALUES (?, ?, ?, ?, ?, ?)",
        one.id, one.post_id, place, one.number, one.author, one.text,
    )  # fmt: skip
    return place


async def edit(desk: Desk, post_id: int, comment_id: str, text: str) -> bool:
    """The comment says something else; false if it was never written."""
    version = await change(desk, post_id)
    sql = "UPDATE comment SET text = ?, edits = edits + 1 WHERE id = ? AND post_id = ? RETURNING id"
    if not await desk.do(sql, text, comment_id, post_id):
        return False
    await desk.do("UPDATE submission SET version = ? WHERE id = ?", version, comment_id)
    return True


async def close(desk: Desk, post_id: int, closed: bool) -> None:
    """The post takes no more comments from here on, or takes them again."""
    await change(desk, post_id)
    await desk.do("UPDATE post SET closed = ? WHERE id = ?", closed, post_id)


async def like(desk: Desk, post_id: int, who: str, liked: bool) -> None:
    """Somebody likes the post, or does not any more."""
    await change(desk, post_id)
    if liked:
        await desk.do("INSERT INTO liked (post_id, who) VALUES (?, ?) ON CONFLICT DO NOTHING", post_id, who)
    else:
        await desk.do("DELETE FROM liked WHERE post_id = ? AND who = ?", post_id, who)
    await desk.do(
        "UPDATE post SET likes = (SELECT count(*) FROM liked WHERE post_id = ?) WHERE id = ?", post_id, post_id
    )
