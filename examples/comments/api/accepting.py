"""Accept comments: number them, put them into their lanes, and note that they wait.

The numbers of a post must be in the order of its lane, whoever else accepts comments at the same time. So all of it
happens while this program has the post's row, and what is noted is committed only once it is in the lane. Workers take
the post's row before they move its lane on, too, so nobody waits in a circle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from examples.comments.database.changes import change
from examples.comments.herd import comments, database
from examples.comments.worker.service import create_comment
from examples.comments.worker.writing import Submitted
from examples.running.database.database import Desk
from goatherd import Unavailable


@dataclass(frozen=True)
class Draft:
    """What somebody wants to say to a post."""

    post_id: int
    author: str
    text: str


class PartlyRefused(Exception):
    """Not all of them were accepted."""

    def __init__(self, accepted: Sequence[Submitted], refusal: Unavailable) -> None:
        super().__init__(str(refusal))
        self.accepted = accepted
        self.refusal = refusal


async def accept(drafts: Sequence[Draft]) -> Sequence[Submitted]:
    """Accept them in this order; raises PartlyRefused, NoSuchPost or DatabaseAway."""
    async with database.transaction() as desk:
        # In the order of their numbers: two that wait for each other's posts would wait for ever.
        versions = {post_id: await change(desk, post_id) for post_id in sorted({draft.post_id for draft in drafts})}
        submitted = [await _numbered(desk, draft) for draft in drafts]
        refusal = await _sent(submitted)
        missing = () if refusal is None else refusal.jobs
        accepted = [one for one in submitted if one.id not in missing]
        await _note(desk, accepted, versions)
    if refusal is not None:
        raise PartlyRefused(accepted, refusal)
    return accepted


async def _numbered(desk: Desk, draft: Draft) -> Submitted:
    # A number that was given out is never given again, for nobody knows whether a job that got no answer was taken.
    rows = await desk.do("UPDATE post SET submitted = submitted + 1 WHERE id = ? RETURNING submitted", draft.post_id)
    return Submitted(
        id=str(uuid4()), post_id=draft.post_id, number=int(rows[0][0]), author=draft.author, text=draft.text
    )


async def _sent(submitted: Sequence[Submitted]) -> Unavailable | None:
    jobs = [
        create_comment.options(id=one.id).job(
            post_id=one.post_id, number=one.number, author=one.author, text=one.text
        )
        for one in submitted
    ]  # fmt: skip
    try:
        await comments.send_many(jobs)
    except Unavailable as refusal:
        return refusal
    return None


async def _note(desk: Desk, accepted: Sequence[Submitted], versions: Mapping[int, int]) -> None:
    for one in accepted:
        await desk.do(
            "INSERT INTO submission (id, post_id, number, author, text, state, version) "
            "VALUES (?, ?, ?, ?, ?, 'waiting', ?)",
            one.id, one.post_id, one.number, one.author, one.text, versions[one.post_id],
        )  # fmt: skip
