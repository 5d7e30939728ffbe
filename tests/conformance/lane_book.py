"""A simple picture of lanes, in plain lists: what must be true of a store after everything that was asked of it.

Where the contract leaves the store a choice, which lane is claimed first or whether a lease is over that nobody has
ended yet, the book takes down what the store chose, if it may choose it.
"""

from collections.abc import Sequence

from goatherd.model.dead_letter import Burial
from goatherd.model.lane import (
    REMEMBERED_FOR,
    Claim,
    Commit,
    Exchange,
    GiveUpHead,
    Hold,
    LaneCondition,
    LaneItem,
    OnExhausted,
    Placement,
    Release,
    Settlement,
    TryAgain,
)
from tests.conformance.lane_entries import BookedJob, BookedLane, BookedLetter


class Book:
    """All lanes of a store, and what became of every job."""

    def __init__(self) -> None:
        self.now = 0.0
        #: Counts what is asked of the store.
        self.step = 0
        self.lanes: dict[str, BookedLane] = {}
        self.later: list[BookedJob] = []
        self.letters: list[BookedLetter] = []
        self.named: dict[str, float] = {}
        #: The greatest token and seq that each lane ever had, whatever the store has lost since.
        self.tokens: dict[str, int] = {}
        self.seqs: dict[str, int] = {}
        self.taken = self.done = self.buried = self.lost = 0

    def lose_everything(self) -> None:
        """The store is empty now."""
        self.lost += len(self.later) + sum(len(lane.jobs) for lane in self.lanes.values())
        self.lanes.clear()
        self.later.clear()
        self.letters.clear()
        self.named.clear()

    # --- jobs come ---------------------------------------------------------------------------------------------

    def enqueue(self, items: Sequence[LaneItem], answers: Sequence[Placement]) -> None:
        """Take down what the store took."""
        assert len(answers) == len(items), "one answer for each job"
        full: set[str] = set()
        refused: set[str] = set()
        for item, answer in zip(items, answers, strict=True):
            wanted = self._placement(item, full, answer)
            # How many are in a full lane may be told, too; and an id that was refused a moment ago may be again.
            twice = item.named and item.id in refused and answer.answer == "full"
            assert answer == wanted or twice or answer.answer == wanted.answer == "full", (
                f"{item.id} in {item.lane} is {answer}, not {wanted}"
            )
            if answer.answer == "full":
                refused.add(item.id)
            if answer.answer in ("placed", "later"):
                self._take(item, answer)

    def _placement(self, item: LaneItem, full: set[str], answer: Placement) -> Placement:
        length = len(self.lanes[item.lane].jobs) if item.lane in self.lanes else 0
        # Nobody says when exactly an id is forgotten.
        if item.named and item.id in self.named and (self.now <= self.named[item.id] or answer.answer == "known"):
            return Placement(answer="known")
        if item.lane in full:
            return Placement(answer="full")
        if item.delay > 0 and not item.keep_place:
            return Placement(answer="later")
        if item.limit is not None and length >= item.limit:
            full.add(item.lane)
            return Placement(answer="full")
        return Placement(answer="placed", ahead=length)

    def _take(self, item: LaneItem, answer: Placement) -> None:
        self.taken += 1
        if item.named:
            self.named[item.id] = self.now + REMEMBERED_FOR
        job = BookedJob(item=item, content=item.content, accepted=self.now + item.delay)
        if answer.answer == "later":
            self.later.append(job)
        else:
            job.due = self.now + item.delay if item.delay > 0 else 0.0
            self._join(job)

    def _join(self, job: BookedJob) -> None:
        job.seq_floor = int(self.now * 1e6) - 1
        lane = self.lanes.get(job.item.lane)
        if lane is None:
            lane = self.lanes[job.item.lane] = BookedLane(job.item.lane, [job])
            self._go_on(lane)
        else:
            lane.jobs.append(job)

    # --- workers settle ----------------------------------------------------------------------------------------

    def has(self, hold: Hold) -> bool | None:
        """Whether whoever shows it has that lane's head; None if its lease is over and nobody has ended it yet."""
        lane = self.lanes.get(hold.lane)
        if lane is None or lane.condition != "running" or (lane.token, lane.head.seq) != (hold.token, hold.seq):
            return False
        assert lane.until is not None
        return None if lane.until <= self.now else True

    def agree(self, hold: Hold, answer: bool) -> None:
        """The store may say so of this hold."""
        had = self.has(hold)
        assert had is None or answer == had, (
            f"I1: {hold} is {'the newest' if had else 'not the newest'} of its lane, and the store said {answer}"
        )

    def settle(self, settlement: Settlement, answer: bool) -> None:
        """Take down what a worker did."""
        self.agree(settlement.hold, answer)
        if not answer:
            return
        lane = self.lanes[settlement.hold.lane]
        match settlement:
            case Commit():
                self.done += 1
                del lane.jobs[0]
                self._go_on(lane)
            case Release():
                self._be_ready(lane, turn=(0, 0))
            case TryAgain(content=content, delay=delay):
                lane.head.content, lane.head.deaths = content, 0
                lane.head.hurried = min(lane.head.hurried, self.now)
                self._wait(lane, self.now + delay)
            case GiveUpHead(burial=burial, policy=policy):
                self._give_up(lane, burial, policy or lane.head.item.on_exhausted)

    def beat(self, hold: Hold, lease: float, answer: bool) -> None:
        """Take down whether a worker still had it."""
        self.agree(hold, answer)
        if answer:
            self.lanes[hold.lane].until = self.now + lease

    def _give_up(self, lane: BookedLane, burial: Burial, policy: OnExhausted) -> None:
        if policy == "hold":
            lane.condition, lane.until, lane.worker, lane.burial = "held", None, None, burial
            lane.since = (self.now, self.now)
            return
        head = lane.head
        self._bury(lane, burial)
        while policy == "cancel_rest" and lane.jobs:
            why = f"the job ahead of it in its lane, {head.item.id}, was given up: {burial.message}"
            self._bury(
                lane,
                Burial(
                    reason="rejected", error_type="LaneCancelled", message=why, attempts=0, failed_at=burial.failed_at
                ),
            )
        self._go_on(lane)

    def _bury(self, lane: BookedLane, burial: Burial) -> None:
        job = lane.jobs.pop(0)
        self.buried += 1
        self.letters.append(BookedLetter(lane.key, job, burial))

    # --- time passes -------------------------------------------------------------------------------------------

    def end_what_is_due(self) -> None:
        """As an exchange does before it claims."""
        for lane in self.lanes.values():
            if lane.until is not None and lane.until <= self.now:
                lane.head.deaths += lane.condition == "running"
                self._be_ready(lane, since=lane.until)
        for job in sorted((job for job in self.later if job.accepted <= self.now), key=lambda job: job.accepted):
            self.later.remove(job)
            self._join(job)

    def next_due(self) -> float | None:
        """When the next lease runs out or the next delay is over."""
        moments = [lane.until for lane in self.lanes.values() if lane.until is not None]
        return min([*moments, *(job.accepted for job in self.later)], default=None)

    # --- workers claim -----------------------------------------------------------------------------------------

    def claim(self, exchange: Exchange, claims: Sequence[Claim]) -> None:
        """Take down which heads were given."""
        queues = set(exchange.queues)
        ready = {
            key: lane
            for key, lane in self.lanes.items()
            if lane.condition == "ready" and lane.head.item.queue in queues
        }
        keys = [claim.lane for claim in claims]
        assert len(keys) == len(set(keys)), f"I5: one answer gives a lane twice: {keys}"
        for claim in claims:
            assert claim.lane in ready, f"I5: {claim.lane} was given, which is {self._told(claim.lane)}"
            self._check_claim(ready[claim.lane], claim)
        sure = {key: lane for key, lane in ready.items() if key in keys or not self.is_ahead(lane)}
        assert len(claims) == min(exchange.wanted, len(sure)), f"I4: ready are {sorted(sure)}, given {keys}"
        self._check_turns(sure, keys)
        for claim in claims:
            lane = ready[claim.lane]
            lane.condition, lane.worker, lane.token = "running", exchange.worker, claim.token
            lane.since, lane.until = (self.now, self.now), self.now + exchange.lease
            lane.head.due = 0.0
            self.tokens[claim.lane] = claim.token

    def is_ahead(self, lane: BookedLane) -> bool:
        """Whether the clock was set back behind the time of its head, for which a store may wait."""
        return lane.condition == "ready" and lane.head.accepted > self.now

    def let_wait(self, lane: BookedLane) -> None:
        """The store waits until it is as late as it was when the lane's head was accepted."""
        self._wait(lane, lane.head.accepted)

    def _check_claim(self, lane: BookedLane, claim: Claim) -> None:
        head = lane.head
        assert claim.id == head.item.id, f"I2: {lane.key} gave {claim.id} before {head.item.id}"
        assert claim.content == head.content, f"I2: the content of {claim.id}"
        assert (claim.queue, claim.on_exhausted) == (head.item.queue, head.item.on_exhausted)
        assert claim.deaths == head.deaths, f"I2: deaths of {claim.id}"
        assert head.was_accepted(claim.accepted), f"when {claim.id} was accepted"
        assert claim.token > self.tokens.get(lane.key, 0), f"I7: {lane.key} had token {self.tokens[lane.key]}"
        assert claim.token >= int(self.now * 1e6) - 1, "I7: tokens are not behind the clock"
        self.place(lane, head, claim.seq)

    def place(self, lane: BookedLane, job: BookedJob, seq: int) -> None:
        """The store tells where a job stands."""
        if job.seq is not None:
            assert seq == job.seq, f"I2: {job.item.id} was {job.seq}"
            return
        assert seq > self.seqs.get(lane.key, 0), f"I7: {lane.key} had seq {self.seqs[lane.key]}"
        assert seq >= job.seq_floor, "I7: seqs are not behind the clock"
        job.seq = self.seqs[lane.key] = seq

    def _check_turns(self, ready: dict[str, BookedLane], given: Sequence[str]) -> None:
        by_queue: dict[str, list[BookedLane]] = {}
        for lane in ready.values():
            by_queue.setdefault(lane.head.item.queue, []).append(lane)
        for queue, lanes in by_queue.items():
            left = min((lane.turn[1] for lane in lanes if lane.key not in given), default=self.step)
            jumped = [lane.key for lane in lanes if lane.key in given and lane.turn[0] > left]
            turns = {lane.key: lane.turn for lane in lanes}
            assert not jumped, f"{jumped} of {queue} came before their turn: {turns}, given {given}"
        if len(given) >= len(by_queue):
            served = {ready[key].head.item.queue for key in given}
            assert served == by_queue.keys(), "queues take turns"

    # --- operators ask -----------------------------------------------------------------------------------------

    def may(self, key: str, *conditions: LaneCondition) -> bool | None:
        """Whether a lane is in one of these conditions; None if it stayed in one only until some time ago."""
        lane = self.lanes.get(key)
        if lane is None or lane.condition not in conditions:
            return False
        return None if lane.until is not None and lane.until <= self.now else True

    def retry(self, key: str, content: bytes | None) -> None:
        """Its head is tried now."""
        lane = self.lanes[key]
        lane.head.deaths, lane.head.due, lane.head.hurried = 0, 0.0, min(lane.head.hurried, self.now)
        lane.head.content = lane.head.content if content is None else content
        self._be_ready(lane)

    def skip(self, key: str, burial: Burial) -> None:
        """Its head is given up."""
        self._bury(self.lanes[key], burial)
        self._go_on(self.lanes[key])

    def unblock(self, key: str) -> None:
        """Nobody has it any more."""
        self._be_ready(self.lanes[key], turn=(0, self.step))

    def _told(self, key: str) -> str:
        return self.lanes[key].condition if key in self.lanes else "not there"

    def _go_on(self, lane: BookedLane) -> None:
        if not lane.jobs:
            del self.lanes[lane.key]
        elif lane.head.due > self.now:
            self._wait(lane, lane.head.due)
        else:
            self._be_ready(lane)

    def _wait(self, lane: BookedLane, until: float) -> None:
        lane.condition, lane.since, lane.until = "waiting", (self.now, self.now), until
        lane.worker = lane.burial = None

    def _be_ready(self, lane: BookedLane, *, since: float | None = None, turn: tuple[int, int] | None = None) -> None:
        lane.condition, lane.until, lane.worker, lane.burial = "ready", None, None, None
        lane.since = (self.now if since is None else since, self.now)
        lane.turn = turn or (self.step, self.step)
