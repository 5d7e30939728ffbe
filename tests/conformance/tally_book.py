"""What a tally must have, kept by hand: as simple as can be, and slow."""

from collections import defaultdict
from collections.abc import Sequence

import pytest

from goatherd.model.tally import REMEMBERED_FOR, Batch, Sealed
from goatherd.testing.suites.tally_store import EVERY


class TallyBook:
    """Of one tally."""

    def __init__(self) -> None:
        #: The last seq of each key, which outlives the store.
        self.seqs: dict[str, int] = {}
        #: The greatest of all, as the time that it stands for.
        self.last_moment = 0.0
        self.wiped()

    def wiped(self) -> None:
        """The store has lost all."""
        self.counters: dict[str, int] = defaultdict(int)
        self.batches: dict[str, Batch] = {}
        self.ids: dict[str, float] = {}
        #: Ids of the jobs in each key's lane.
        self.posted: dict[str, list[str]] = defaultdict(list)
        #: Keys that were above zero when the last round began, and are since.
        self.in_round: set[str] = set()
        self.began: float | None = None

    def add(self, key: str, amount: int, id: str | None, now: float) -> bool:
        """Whether it counts."""
        if id is not None:
            if self.ids.get(id, now) > now:
                return False
            self.ids[id] = now + REMEMBERED_FOR
        self.counters[key] += amount
        if self.counters[key] <= 0:
            self.in_round.discard(key)
        return True

    def sealed(self, told: Sealed, limit: int, now: float) -> None:
        """Check what was set apart."""
        if self.began is None or not 0 <= now - self.began < EVERY:
            self.began = now
            self.in_round = {key for key, total in self.counters.items() if total > 0}
        before = dict(self.batches)
        for batch in told.batches:
            if batch.key in before:
                assert before[batch.key] == batch, f"S1: {before[batch.key]} has become {batch}"
            else:
                self._check_new(batch)
        seqs = [batch.seq for batch in told.batches]
        assert seqs == sorted(set(seqs)), f"S2: not the oldest first: {seqs}"
        assert len(seqs) <= limit, f"S2: {len(seqs)} are more than {limit}"
        left = self.in_round - self.batches.keys()
        if len(seqs) < limit:
            assert {batch.key for batch in told.batches} == self.batches.keys(), "S3: a batch was not given"
            assert not left, f"S3: {left} were not set apart"
        due = 0.0 if left else max(0.0, self.began + EVERY - now)
        assert told.next_due == pytest.approx(due, abs=1e-4), f"S4: {told.next_due} s, not {due}"

    def _check_new(self, batch: Batch) -> None:
        key = batch.key
        assert key in self.in_round, f"S5: {key} is not of this round"
        assert batch.total == self.counters[key] > 0, f"S5: {batch} has not {self.counters[key]}"
        assert batch.seq > self.seqs.get(key, 0), f"S6: {batch} comes after {self.seqs[key]}"
        self.seqs[key] = batch.seq
        self.last_moment = max(self.last_moment, batch.seq / 1_000_000)
        self.batches[key] = batch
        self.counters[key] = 0
        self.in_round.discard(key)

    def handed_over(self, batches: Sequence[Batch], *, elsewhere: bool = False) -> int:
        """How many of these were there."""
        count = 0
        for batch in batches:
            if self.batches.get(batch.key) == batch:
                count += 1
                del self.batches[batch.key]
                if not elsewhere:
                    self.posted[batch.key].append(f"{batch.key}:{batch.seq}")
        return count

    def waiting(self) -> tuple[int, int]:
        """How many keys have something, and how much."""
        totals = {key: total for key, total in self.counters.items() if total}
        amount = sum(totals.values()) + sum(batch.total for batch in self.batches.values())
        return len(totals.keys() | self.batches.keys()), amount
