"""Every change begins here: it takes the post's row, so that changes of one post follow each other."""

from examples.running.database.database import Desk


class NoSuchPost(Exception):
    """There is no post of this number."""


async def change(desk: Desk, post_id: int) -> int:
    """Begin to change a post; the version of what is changed in this transaction."""
    rows = await desk.do("UPDATE post SET version = version + 1 WHERE id = ? RETURNING version", post_id)
    if not rows:
        raise NoSuchPost(f"There is no post {post_id}.")
    return int(rows[0][0])
