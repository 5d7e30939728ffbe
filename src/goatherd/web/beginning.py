"""How a client begins: at its cursor, or with what stands for all that it has missed."""

from dataclasses import dataclass
from typing import Literal

from goatherd.engine.follower import Follower
from goatherd.errors import UnknownJob
from goatherd.model.event import BEGINNING, Position
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading
from goatherd.web.cursor import AfterToken, Cursor
from goatherd.web.frame import Format, Frame
from goatherd.web.sources import Source


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """One who follows, and what comes before that."""

    follower: Follower
    frames: list[Frame]
    mode: Literal["resume", "snapshot"]


async def begin(source: Source, job_id: str, cursor: Cursor, format: Format, now: float) -> Beginning:
    """Follow a job from a cursor on; raises UnknownJob or Unavailable."""
    if isinstance(cursor, AfterToken):
        return await _after_token(source, job_id, cursor.seq, format, now)
    after = await _now(source, job_id) if cursor == "now" else cursor
    return _beginning(await source.subscriptions.follow(job_id, after), [])


async def _after_token(source: Source, job_id: str, seq: int, format: Format, now: float) -> Beginning:
    """The tokens after a number, if these are all there are and belong to the same text; else the whole text."""
    whole = await source.events.read(job_id, BEGINNING, 1)
    if whole is None:
        raise UnknownJob(job_id)
    # A number does not say which log it is from; in one that was lost and begun anew it stands for something else.
    counts = whole.resumed and [entry.kind for entry in whole.entries] == ["queued"]
    reading = await source.events.read(job_id, Position(whole.top.epoch, seq)) if counts else None
    if reading is None or not _goes_on(reading):
        return _beginning(await source.subscriptions.follow(job_id, None), [])
    frames = format.tokens(reading, now)
    return _beginning(await source.subscriptions.follow(job_id, reading.top), frames)


def _goes_on(reading: Reading) -> bool:
    # A client that counts tokens does not know that an attempt began, so it must not add one's text to another's.
    same_text = not any(entry.kind in ("started", "snapshot") for entry in reading.entries)
    return reading.resumed and reading.complete and same_text


async def state_of(source: Source, job_id: str) -> JobState:
    """How a job stands; raises UnknownJob or Unavailable."""
    state = await source.events.state(job_id)
    if state is None:
        raise UnknownJob(job_id)
    return state


async def _now(source: Source, job_id: str) -> Position:
    return (await state_of(source, job_id)).position


def _beginning(follower: Follower, frames: list[Frame]) -> Beginning:
    return Beginning(follower=follower, frames=frames, mode="resume" if follower.resumed else "snapshot")
