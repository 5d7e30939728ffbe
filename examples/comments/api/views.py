"""Posts and comments as clients see them."""

from collections.abc import Mapping, Sequence

from examples.comments.api.bodies import Entry, Post
from examples.comments.database.changes import NoSuchPost
from examples.running.database.database import Database, Row

#: More than a post can get between two looks.
ALL = 1_000_000
_POSTS = """
SELECT id, title, body, likes, closed, written, version,
    (SELECT count(*) FROM submission WHERE post_id = post.id AND state IN ('waiting', 'writing', 'retrying', 'held'))
FROM post
"""
_ENTRIES = """
SELECT submission.id, submission.number, submission.author, coalesce(comment.text, submission.text), state, tries,
    told, worker, begun, ended, place, coalesce(edits, 0), version
FROM submission LEFT JOIN comment ON comment.id = submission.id
WHERE submission.post_id = ? AND version > ?
ORDER BY submission.number DESC LIMIT ?
"""


async def all_posts(database: Database) -> Sequence[Post]:
    """Without their comments."""
    return [_post(row) for row in await database.read(_POSTS + "ORDER BY id")]


async def one_post(database: Database, post_id: int, limit: int) -> Post:
    """With the latest of its comments, by the number of their submission; raises NoSuchPost."""
    rows = await database.read(_POSTS + "WHERE id = ?", post_id)
    if not rows:
        raise NoSuchPost(f"There is no post {post_id}.")
    return await _with_entries(database, _post(rows[0]), 0, limit)


async def changed_posts(database: Database, known: Mapping[int, int], limit: int) -> Sequence[Post]:
    """Posts that have another version than is known, with all that is newer of their comments.

    Of a post that is not known at all, the latest comments.
    """
    return [
        await _with_entries(database, post, known.get(post.id, 0), ALL if post.id in known else limit)
        for post in await all_posts(database)
        if post.version != known.get(post.id)
    ]


async def state_of_all(database: Database) -> Row:
    """Something that is another whenever any post has changed."""
    [state] = await database.read("SELECT count(*), coalesce(sum(version), 0) FROM post")
    return state


async def _with_entries(database: Database, post: Post, version: int, limit: int) -> Post:
    rows = await database.read(_ENTRIES, post.id, version, limit)
    return post.model_copy(update={"entries": [_entry(row) for row in reversed(rows)]})


def _post(row: Row) -> Post:
    post_id, title, body, likes, closed, written, version, waiting = row
    return Post(
        id=post_id, title=title, body=body, likes=likes, closed=bool(closed), written=written, version=version,
        waiting=waiting,
    )  # fmt: skip


def _entry(row: Row) -> Entry:
    return Entry(**dict(zip(Entry.model_fields, row, strict=True)))
