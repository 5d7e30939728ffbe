"""Where dead letters that were replayed went, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.engine.lane_returns import Returned

#: Lanes that are named one by one.
MOST_NAMED = 10


def replayed_told(count: int, returned: Sequence[Returned]) -> str:
    """`Put 1 dead letter back to work: at the end of lane post_id=7, behind 12 others.`"""
    said = f"Put {counted(count, 'dead letter')} back to work"
    if not returned:
        return f"{said}."
    lanes: dict[str, list[Returned]] = {}
    for each in returned:
        lanes.setdefault(each.lane, []).append(each)
    told = [_place(lane, jobs) for lane, jobs in list(lanes.items())[:MOST_NAMED]]
    if len(lanes) == 1 and len(returned) == count:
        return f"{said}: {told[0]}."
    more = [f"and {len(lanes) - MOST_NAMED:,} more lanes"] if len(lanes) > MOST_NAMED else []
    return "\n".join([f"{said}:", *(f"  {line}" for line in told + more)])


def _place(key: str, jobs: Sequence[Returned]) -> str:
    from goatherd.model.lane import shown

    many = f"{len(jobs):,} " if len(jobs) > 1 else ""
    first = next((job.ahead for job in jobs if job.ahead is not None), None)
    if first is None:
        return f"{many}in lane {shown(key)} since an earlier try"
    behind = (
        f"behind {counted(first, 'other')}" if first else "with none before " + ("it" if len(jobs) == 1 else "them")
    )
    return f"{many}at the end of lane {shown(key)}, {behind}"
