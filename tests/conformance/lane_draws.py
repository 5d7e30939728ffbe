"""What the machine of lanes may do: everything that can be asked of lanes, in small numbers, so that it meets."""

from typing import Literal, NamedTuple, TypeAlias

from hypothesis import strategies as st

from goatherd.model.dead_letter import Burial
from goatherd.model.lane import (
    Commit,
    GiveUpHead,
    Hold,
    LaneItem,
    OnExhausted,
    Release,
    Settlement,
    TryAgain,
)

QUEUES = ("comments", "likes")
#: Lanes of one queue each, and lanes that both queues share.
OWN = ("comments/post_id=1", "comments/post_id=2", "likes/key=1/ü *", "likes/post_id=1")
SHARED = ("posts=1", "posts=2")
LANES = (*OWN, *SHARED)
WORKERS = ("w1", "w2", "w3")

How: TypeAlias = Literal["commit", "release", "again", "give up"]


class Sent(NamedTuple):
    """A job that is to be sent."""

    lane: str
    queue: str
    on_exhausted: OnExhausted
    limit: int | None
    delay: float
    keep_place: bool
    name: int | None

    def item(self, number: int) -> LaneItem:
        return LaneItem(
            id=f"job-{number}" if self.name is None else f"name-{self.name}",
            lane=self.lane,
            queue=self.lane.split("/")[0] if "/" in self.lane else self.queue,
            content=b"\x00\xff" + str(number).encode(),
            on_exhausted=self.on_exhausted,
            limit=self.limit,
            delay=self.delay,
            keep_place=self.keep_place,
            named=self.name is not None,
        )


class Settling(NamedTuple):
    """What somebody does with something that he has, or had, or says to have."""

    how: How
    #: Counted from the newest hold that anybody ever got.
    back: int
    #: What is added to the token and the seq: nothing, if it is not forged.
    token: int
    seq: int
    delay: float
    policy: OnExhausted | None

    def of(self, holds: list[Hold], number: int, now: float) -> Settlement:
        hold = forged(holds[-1 - self.back % len(holds)], self.token, self.seq)
        match self.how:
            case "commit":
                return Commit(hold=hold)
            case "release":
                return Release(hold=hold)
            case "again":
                return TryAgain(hold=hold, content=b"\xfe" + str(number).encode(), delay=self.delay)
            case "give up":
                return GiveUpHead(hold=hold, burial=burial(number, now), policy=self.policy)


def forged(hold: Hold, token: int, seq: int) -> Hold:
    """A hold that nobody was given, unless both are 0."""
    return Hold(lane=hold.lane, token=hold.token + token, seq=hold.seq + seq)


def burial(number: int, now: float) -> Burial:
    """Why something is given up."""
    return Burial(
        reason="failed", error_type="ValueError", message=f"no luck {number} ü", traceback="line\n1", attempts=3,
        failed_at=now,
    )  # fmt: skip


POLICIES: tuple[OnExhausted, ...] = ("hold", "skip", "cancel_rest")
SENT = st.builds(
    Sent,
    lane=st.sampled_from(LANES),
    queue=st.sampled_from(QUEUES),
    on_exhausted=st.sampled_from(POLICIES),
    limit=st.sampled_from([None, None, None, 1, 2, 3]),
    delay=st.sampled_from([0.0, 0.0, 0.0, 2.0, 5.0]),
    keep_place=st.booleans(),
    name=st.none() | st.none() | st.integers(0, 3),
)
#: Mostly what somebody has just got, sometimes what he has lost long ago.
BACK = st.integers(0, 2) | st.integers(0, 40)
#: Mostly true, sometimes a little off.
SHIFT = st.sampled_from([0, 0, 0, 0, 0, 1, -1])
SETTLING = st.builds(
    Settling,
    how=st.sampled_from(["commit", "commit", "release", "again", "give up"]),
    back=BACK,
    token=SHIFT,
    seq=SHIFT,
    delay=st.sampled_from([0.0, 2.0, 5.0]),
    policy=st.sampled_from([None, None, *POLICIES]),
)
ASKED = st.lists(st.sampled_from(QUEUES), max_size=2, unique=True)
LEASES = st.sampled_from([30.0, 10.0, 3.0])
