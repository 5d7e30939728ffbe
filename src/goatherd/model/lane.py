"""A lane: jobs that share a key and are done one at a time, in the order in which they were accepted.

A lane is known by its full key, `comments/post_id=7`: whose lanes they are, then the value. Before the argument's name
stands the queue, which people need not see; a lane that tasks of several queues share has none: `posts=7`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from goatherd.model.dead_letter import Burial
from goatherd.model.message import Message

#: What becomes of a lane whose head is given up: wait for an operator; put the head to the dead letters and go on; or
#: put it and all behind it there.
OnExhausted: TypeAlias = Literal["hold", "skip", "cancel_rest"]

#: Bytes that a full key may take.
LONGEST_KEY = 512

#: Seconds for which an id is remembered that the sender's user chose: the same id does not enter a lane twice.
REMEMBERED_FOR = 3600.0

# A message without headers has a read-only mapping in their place.
_encode = msgspec.msgpack.Encoder(enc_hook=dict).encode
_decode = msgspec.msgpack.Decoder(Message).decode


def shown(key: str) -> str:
    """A lane as people see it: `post_id=7`."""
    name, _, value = key.partition("=")
    return f"{name.rpartition('/')[2]}={value}"


def packed(message: Message) -> bytes:
    """A job as lanes keep it."""
    return _encode(message)


def unpacked(content: bytes) -> Message:
    """A job that was kept in a lane."""
    return _decode(content)


def behind(head: str, burial: Burial) -> Burial:
    """Why a job is not done that stood behind a head, known by its job's id, which was given up with all the rest."""
    told = f"the job ahead of it in its lane, {head}, was given up: {burial.message}"
    return Burial(
        reason="rejected", error_type="LaneCancelled", message=told, attempts=0, failed_at=burial.failed_at
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Fence:
    """Proof of ownership to check in the effect's own transaction."""

    #: The lane's full key.
    key: str
    #: Greater than that of everyone who had the lane before.
    token: int
    #: The job's place in the lane; greater than that of every job before it, whatever became of the store.
    seq: int


class LaneItem(msgspec.Struct, frozen=True, kw_only=True):
    """A job on its way into a lane."""

    id: str
    #: The lane's full key.
    lane: str
    #: Whose workers may do it.
    queue: str
    #: The job itself, from `packed`.
    content: bytes
    on_exhausted: OnExhausted = "hold"
    #: How many may be in the lane, this one included; None means any number.
    limit: int | None = None
    #: Seconds from now before which it is not done.
    delay: float = 0.0
    #: Whether it takes its place at once and holds the lane until it is due, instead of joining when it is.
    keep_place: bool = False
    #: Whether the user chose its id, which is then remembered for `REMEMBERED_FOR`.
    named: bool = False


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an item.

    - `placed`: it is in the lane, `ahead` others before it.
    - `later`: it joins the lane when it is due, whatever the lane's limit is then.
    - `known`: an item of that id was taken before; this one was not.
    - `full`: the lane has as many as it may have; it was not taken.
    """

    answer: Literal["placed", "later", "known", "full"]
    ahead: int = 0


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a lane, given to one worker under a lease. It stays in the lane until it is settled."""

    lane: str
    token: int
    seq: int
    id: str
    queue: str
    content: bytes
    on_exhausted: OnExhausted
    #: When it was accepted or, if that is later, when it fell due; seconds since the epoch.
    accepted: float
    #: How many leases of it ran out.
    deaths: int = 0

    @property
    def hold(self) -> "Hold":
        """What it is known by."""
        return Hold(lane=self.lane, token=self.token, seq=self.seq)


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker shows to have its way with a lane's head."""

    lane: str
    token: int
    seq: int


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """It is done: the lane goes on."""

    hold: Hold


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """Let others have it now, as if it had never been claimed; it keeps its place at the front of the queue."""

    hold: Hold


class TryAgain(msgspec.Struct, frozen=True, kw_only=True):
    """It failed: the lane waits, and then it is claimed again with this content and no deaths."""

    hold: Hold
    content: bytes
    delay: float


class GiveUpHead(msgspec.Struct, frozen=True, kw_only=True):
    """It will not be tried again by itself: what its `on_exhausted` says, unless another is given here."""

    hold: Hold
    burial: Burial
    policy: OnExhausted | None = None


Settlement: TypeAlias = Commit | Release | TryAgain | GiveUpHead


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker gives back, and what it wants instead; carried out in one step, in this order."""

    worker: str
    #: Greater than that of the worker's last exchange; the same when it is repeated because no answer came.
    number: int
    settled: Sequence[Settlement] = ()
    queues: Sequence[str] = ()
    #: Claims at most.
    wanted: int = 0
    #: Seconds for which the worker has what it gets.
    lease: float = 30.0


class Exchanged(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to an exchange."""

    #: One for each settlement: whether the worker had it still. If not, nothing changed.
    settled: Sequence[bool] = ()
    #: Heads of different lanes.
    claims: Sequence[Claim] = ()
    #: Seconds until the next lease runs out or the next delay is over; None if there is nothing such.
    next_due: float | None = None
    #: Whether letters wait to be taken to the dead letters.
    letters: bool = False


class LaneLetter(msgspec.Struct, frozen=True, kw_only=True):
    """A job that left its lane for the dead letters and waits to be taken there."""

    #: The letter's own id, by which it is removed.
    id: str
    lane: str
    content: bytes
    accepted: float
    burial: Burial


LaneCondition: TypeAlias = Literal["ready", "running", "waiting", "held"]


class LaneState(msgspec.Struct, frozen=True, kw_only=True):
    """A lane as it stands now. Times are seconds since the epoch."""

    key: str
    #: Its head: may be done now; is being done; waits for its time or its next attempt; waits for an operator.
    condition: LaneCondition
    #: Jobs in it, the head included.
    length: int
    #: The queue and the job of its head.
    queue: str
    head: str
    #: Since when it is in this condition, and until when it stays in it by itself.
    since: float
    until: float | None = None
    #: Who has it.
    worker: str | None = None
    deaths: int = 0
    #: Why it is held.
    burial: Burial | None = None


class LaneJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job in a lane."""

    seq: int
    id: str
    queue: str
    content: bytes
    accepted: float
