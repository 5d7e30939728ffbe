"""Lanes beside a book of them: senders, workers that never forget, operators, clocks and losses, in any order."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from goatherd.errors import Unavailable
from goatherd.model.lane import LaneItem, Placement
from tests.conformance.lane_draws import (
    ASKED,
    BACK,
    LANES,
    LEASES,
    QUEUES,
    SENT,
    SETTLING,
    SHIFT,
    WORKERS,
    Sent,
    Settling,
    burial,
    forged,
)
from tests.conformance.lane_stage import INSTANT, REMEMBERS_PEERS, LaneStage

SENDER = "sender"


class LaneMachine(LaneStage):
    """Everything that anybody may do."""

    def __init__(self) -> None:
        super().__init__()
        #: When, under which number, what, and what came of it.
        self.sends: list[tuple[float, int, list[LaneItem], list[Placement]]] = []

    @initialize(
        sent=st.lists(SENT, min_size=2, max_size=4), count=st.integers(1, 3), instant=st.sampled_from([0.001, 0.0])
    )
    def work_begins(self, sent: list[Sent], count: int, instant: float) -> None:
        async def begin() -> None:
            await self.ground.clear()
            self.clients = [await self.ground.open(self.clock) for _ in range(2)]

        self.wait(begin())
        self.instant = instant
        for each in sent:
            self.a_lane_fills(each, count)
        self.a_worker_claims(WORKERS[0], 2, 10.0)

    # --- jobs come ---------------------------------------------------------------------------------------------

    @rule(sent=st.lists(SENT, min_size=1, max_size=4))
    def jobs_are_sent(self, sent: list[Sent]) -> None:
        client = self.begin()
        items = [each.item(self.next_number()) for each in sent]
        number = self.next_number()
        answers = self.wait(client.enqueue(SENDER, number, items))
        self.book.enqueue(items, answers)
        self.sends.append((self.book.now, number, items, list(answers)))
        self.look(*(item.lane for item in items))

    @rule(sent=SENT, count=st.integers(2, 6))
    def a_lane_fills(self, sent: Sent, count: int) -> None:
        self.jobs_are_sent([sent._replace(limit=None, delay=0.0, name=None)] * count)

    @precondition(lambda self: self.sends and self.is_remembered(self.sends[-1][0]))
    @rule()
    def what_was_sent_last_is_sent_again(self) -> None:
        client = self.begin()
        _, number, items, before = self.sends[-1]
        answers = self.wait(client.enqueue(SENDER, number, items))
        assert list(answers) == before, "a call that is repeated gets the same answer"
        self.look(*(item.lane for item in items))

    @precondition(lambda self: len(self.sends) > 1 and self.is_remembered(self.sends[-1][0]))
    @rule(back=st.integers(0, 3))
    def what_was_sent_before_arrives_late(self, back: int) -> None:
        client = self.begin()
        _, number, items, _ = self.sends[max(0, len(self.sends) - 2 - back)]
        with pytest.raises(Unavailable):
            self.wait(client.enqueue(SENDER, number, items))
        self.look(*(item.lane for item in items))

    # --- workers work ------------------------------------------------------------------------------------------

    @rule(
        worker=st.sampled_from(WORKERS), settling=st.lists(SETTLING, max_size=3), queues=ASKED,
        wanted=st.integers(0, 4), lease=LEASES,
    )  # fmt: skip
    def a_worker_exchanges(
        self, worker: str, settling: list[Settling], queues: list[str], wanted: int, lease: float
    ) -> None:
        self.exchange(worker, settling if self.holds else [], queues, wanted, lease)

    @rule(worker=st.sampled_from(WORKERS), wanted=st.integers(1, 4), lease=LEASES)
    def a_worker_claims(self, worker: str, wanted: int, lease: float) -> None:
        self.exchange(worker, [], list(QUEUES), wanted, lease)

    @precondition(lambda self: self.holds)
    @rule(worker=st.sampled_from(WORKERS), settling=SETTLING, wanted=st.integers(0, 1))
    def a_worker_settles(self, worker: str, settling: Settling, wanted: int) -> None:
        """What it has still, if there is such."""
        had = [place for place, hold in enumerate(reversed(self.holds)) if self.book.has(hold)]
        back = had[settling.back % len(had)] if had else settling.back
        self.exchange(worker, [settling._replace(back=back, token=0, seq=0)], list(QUEUES), wanted, 10.0)

    @precondition(lambda self: self.newest_holds())
    @rule(settling=SETTLING)
    def a_worker_settles_what_it_has_lost(self, settling: Settling) -> None:
        """Its lane is somebody else's now, if there is such."""
        running = {hold.lane: hold for hold in self.newest_holds()}
        lost = [place for place, hold in enumerate(reversed(self.holds)) if running.get(hold.lane, hold) != hold]
        back = lost[settling.back % len(lost)] if lost else settling.back
        self.exchange(WORKERS[1], [settling._replace(back=back, token=0, seq=0)], [], 0, 10.0)

    @precondition(lambda self: self.newest_holds())
    @rule(settling=SETTLING, token=st.sampled_from([-1, 0, 1]), seq=st.sampled_from([-1, 1]))
    def a_worker_settles_what_it_never_had(self, settling: Settling, token: int, seq: int) -> None:
        newest = self.newest_holds()
        back = self.holds[::-1].index(newest[settling.back % len(newest)])
        self.exchange(WORKERS[1], [settling._replace(back=back, token=token, seq=seq)], [], 0, 10.0)

    @precondition(lambda self: self.newest_holds())
    @rule(sent=SENT)
    def a_lane_ends_and_begins_anew(self, sent: Sent) -> None:
        hold = self.newest_holds()[0]
        for _ in range(len(self.book.lanes[hold.lane].jobs)):
            back = self.holds[::-1].index(self.newest_holds(hold.lane)[0])
            commit = Settling("commit", back, 0, 0, 0.0, None)
            self.exchange(WORKERS[0], [commit], list(QUEUES), len(LANES), 10.0)
            if not self.newest_holds(hold.lane):
                break
        self.a_lane_fills(sent._replace(lane=hold.lane), 1)

    @precondition(lambda self: any(self.exchanges.values()))
    @rule(worker=st.sampled_from(WORKERS))
    def an_exchange_is_repeated(self, worker: str) -> None:
        if not self.exchanges[worker] or not self.is_remembered(self.exchanges[worker][-1][0]):
            return
        client = self.begin()
        _, exchange, before = self.exchanges[worker][-1]
        answer = self.wait(client.exchange(exchange))
        assert list(answer.settled) == list(before.settled), "a call that is repeated gets the same answer"
        assert all(claim in before.claims for claim in answer.claims)
        for claim in before.claims:
            had = self.book.has(claim.hold)
            assert had is None or had == (claim in answer.claims), f"whether {worker} still has {claim.id}"
        self.look(*LANES)

    @precondition(lambda self: any(self.exchanges.values()))
    @rule(worker=st.sampled_from(WORKERS), back=st.integers(0, 3))
    def an_exchange_arrives_late(self, worker: str, back: int) -> None:
        made = self.exchanges[worker]
        if len(made) < 2 or not self.is_remembered(made[-1][0]):
            return
        client = self.begin()
        try:
            answer = self.wait(client.exchange(made[max(0, len(made) - 2 - back)][1]))
            assert not any(answer.settled)
            assert not answer.claims
        except Unavailable:
            pass
        self.look(*LANES)

    @precondition(lambda self: self.holds)
    @rule(backs=st.lists(st.tuples(BACK, SHIFT, SHIFT), min_size=1, max_size=3), lease=LEASES)
    def holds_are_kept(self, backs: list[tuple[int, int, int]], lease: float) -> None:
        client = self.begin()
        holds = [forged(self.holds[-1 - back % len(self.holds)], token, seq) for back, token, seq in backs]
        answers = self.wait(client.beat(holds, lease))
        assert len(answers) == len(holds), "one answer for each hold"
        for hold, answer in zip(holds, answers, strict=True):
            self.book.beat(hold, lease, answer)
        self.look(*(hold.lane for hold in holds))

    # --- operators ask -----------------------------------------------------------------------------------------

    @rule(lane=st.sampled_from(LANES))
    def an_operator_unblocks(self, lane: str) -> None:
        client = self.begin()
        done, may = self.wait(client.unblock(lane)), self.book.may(lane, "running")
        assert may is None or done == may, "I1: only what somebody has is taken from him"
        if done:
            self.book.unblock(lane)
        self.look(lane)

    @rule(lane=st.sampled_from(LANES), fresh=st.booleans())
    def an_operator_tries_again(self, lane: str, fresh: bool) -> None:
        client = self.begin()
        content = b"\xfd" + str(self.next_number()).encode() if fresh else None
        done, may = self.wait(client.retry(lane, content)), self.book.may(lane, "held", "waiting")
        assert may is None or done == may, "I1: only what is held or waits is tried again"
        if done:
            self.book.retry(lane, content)
        self.look(lane)

    @rule(lane=st.sampled_from(LANES))
    def an_operator_skips(self, lane: str) -> None:
        client = self.begin()
        why = burial(self.next_number(), self.book.now)
        done, may = self.wait(client.skip(lane, why)), self.book.may(lane, "held", "waiting")
        assert may is None or done == may, "I1: only what is held or waits is skipped"
        if done:
            self.book.skip(lane, why)
        self.look(lane)

    @rule(count=st.integers(1, 3))
    def letters_are_taken(self, count: int) -> None:
        client = self.begin()
        taken = self.wait(client.letters(count))
        assert len(taken) == min(count, len(self.book.letters))
        self.wait(client.remove_letters([letter.id for letter in taken]))
        self.wait(client.remove_letters([letter.id for letter in taken]))
        del self.book.letters[: len(taken)]
        self.look()

    # --- the world turns ---------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1.013, 4.057, 11.031, 31.007]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @precondition(lambda self: self.ground.outlasts_its_clock)
    @rule(seconds=st.sampled_from([2.0, 20.0]))
    def the_clock_is_set_back(self, seconds: float) -> None:
        self.newest_time = max(self.newest_time, self.clock.time)
        self.clock.time = max(self.emptied, self.clock.time - seconds)

    @rule(what=st.sampled_from([*["a process begins anew", "much time passes"] * 3, "all is lost"]))
    def something_rare_happens(self, what: str) -> None:
        match what:
            case "a process begins anew":
                self.a_process_begins_anew()
            case "much time passes":
                self.clock.advance(3700.0)
            case "all is lost":
                self.the_store_loses_everything()

    def a_process_begins_anew(self) -> None:
        async def reopen() -> None:
            await self.clients[0].close()
            self.clients[0] = await self.ground.open(self.clock)

        self.begin()
        self.wait(reopen())
        self.look()

    def the_store_loses_everything(self) -> None:
        self.clock.time = max(self.newest_time, self.clock.time)
        self.clock.advance(INSTANT)
        self.emptied = self.clock.time
        self.begin()
        self.wait(self.ground.wipe())
        self.book.lose_everything()
        self.sends.clear()
        for made in self.exchanges.values():
            made.clear()
        self.look()

    # --- faults stop ------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Let all that is there be done; then nothing may be left."""
        self.clock.time = max(self.newest_time, self.clock.time)
        for _ in range(self.book.taken + 3):
            self.clock.advance(61.0)
            for lane in [key for key, lane in self.book.lanes.items() if lane.condition == "held"]:
                self.an_operator_tries_again(lane, False)
            answer = self.exchange(WORKERS[0], [], list(QUEUES), len(LANES), 30.0)
            commits = [Settling("commit", back, 0, 0, 0.0, None) for back in range(len(answer.claims))]
            self.exchange(WORKERS[0], commits, [], 0, 30.0)
            if not self.book.lanes and not self.book.later:
                break
        self.letters_are_taken(len(self.book.letters) + 1)
        book = self.book
        assert not book.lanes, f"I6: these do not drain: {sorted(book.lanes)}"
        assert book.taken == book.done + book.buried + book.lost, "I3: every job that was taken"
        self.clock.advance(2 * REMEMBERS_PEERS)
        self.exchange(WORKERS[0], [], list(QUEUES), 1, 30.0)
        assert list(self.wait(self.ground.kept())) == [], "I6: the store keeps these of lanes that are empty"
