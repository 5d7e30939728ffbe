"""Runs beside a book of them: conductors, workers that never forget, operators, clocks and losses, in any order."""

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from goatherd.model.run_record import UnitClaim, UnitHold
from goatherd.testing.suites.step_people import Plan
from tests.conformance.step_acts import StepActs
from tests.conformance.step_draws import (
    BACK,
    LEASES,
    PICK,
    PICKS,
    PIPELINES,
    PLANS,
    RUNS,
    SETTLING,
    SHIFT,
    SPREADING,
    WORKERS,
    Settling,
    Spreading,
)


class StepMachine(StepActs):
    """Everything that anybody may do."""

    @initialize(plans=st.lists(st.sampled_from(PLANS), min_size=2, max_size=3), instant=st.sampled_from([0.001, 0.0]))
    def work_begins(self, plans: list[Plan], instant: float) -> None:
        async def begin() -> None:
            await self.ground.clear()
            self.clients = [await self.ground.open(self.clock) for _ in range(2)]

        self.wait(begin())
        self.instant = instant
        for run, plan in zip(RUNS, plans, strict=False):
            self.a_run_begins(run, plan, 0.0)

    @rule(run=st.sampled_from(RUNS), plan=st.sampled_from(PLANS), delay=st.sampled_from([0.0, 0.0, 5.0]))
    def a_run_begins(self, run: str, plan: Plan, delay: float) -> None:
        client = self.begin()
        new = plan.run(run, delay=delay)
        [begun] = self.wait(client.begin([new]))
        assert begun == self.book.begin(new), f"I3: whether {run} is new"
        if begun:
            self.plans[run] = plan
        self.look()

    # --- the conductor ---------------------------------------------------------------------------------------------

    @rule(limit=st.sampled_from([1, 3, 100]), spreading=SPREADING, postponed=st.booleans())
    def units_are_told_of(self, limit: int, spreading: Spreading, postponed: bool) -> None:
        turns = self.take(limit)
        heads = [turn.key for turn in turns if self.is_to_be_spread(turn.key)]
        if heads:
            self.exchange(decided=[self.spread(key, spreading) for key in heads])
        elif turns and postponed:
            self.postpone([turn.key for turn in turns], 7.0)

    @precondition(lambda self: self.book.runs)
    @rule(picks=PICKS, how=st.sampled_from(["spread", "pass over", "foresee", "arrive", "arrive"]), spreading=SPREADING)
    def something_is_decided(self, picks: list[int], how: str, spreading: Spreading) -> None:
        # Of each run one: whether what is decided first makes way for what is decided next, stores may see differently.
        keys = {key.run: key for key in self.picked(picks)}
        made = [self.decision(key, how, spreading) for key in keys.values()]
        self.exchange(WORKERS[2], decided=[decision for decision in made if decision is not None])

    # --- workers ---------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.book.runs)
    @rule(worker=st.sampled_from(WORKERS), picks=PICKS, lease=LEASES)
    def units_are_wanted(self, worker: str, picks: list[int], lease: float) -> None:
        self.exchange(worker, wanted=self.picked(picks), lease=lease)

    @rule(
        worker=st.sampled_from(WORKERS), count=st.integers(1, 5), lease=LEASES, settling=st.lists(SETTLING, max_size=3)
    )
    def all_that_is_ready_is_wanted(self, worker: str, count: int, lease: float, settling: list[Settling]) -> None:
        ready = [
            key for key in self.book.all_keys()
            if self.book.runs[key.run].units[key].state == "ready" and not self.is_to_be_spread(key)
        ]  # fmt: skip
        self.exchange(worker, self.settlements(settling), wanted=ready[:count], lease=lease)

    @precondition(lambda self: self.claims)
    @rule(worker=st.sampled_from(WORKERS), settling=st.lists(SETTLING, min_size=1, max_size=4))
    def something_is_settled(self, worker: str, settling: list[Settling]) -> None:
        self.exchange(worker, self.settlements(settling))

    @precondition(lambda self: self.claims)
    @rule(worker=st.sampled_from(WORKERS), settling=st.lists(SETTLING, min_size=1, max_size=4), picks=PICKS)
    def what_somebody_has_is_settled(self, worker: str, settling: list[Settling], picks: list[int]) -> None:
        had = [claim for claim in self.claims if self.book.has(claim.hold)]
        settled = [self.settlement(each._replace(shift=0), had[each.back % len(had)]) for each in settling if had]
        self.exchange(worker, settled, wanted=self.picked(picks))

    @precondition(lambda self: self.exchanges)
    @rule(worker=st.sampled_from(WORKERS))
    def an_exchange_is_repeated(self, worker: str) -> None:
        if worker not in self.exchanges:
            return
        exchange, before = self.exchanges[worker]
        answer = self.wait(self.begin().exchange(exchange))
        assert list(answer.settled) == list(before.settled), "I1: a call that is repeated gets the same answer"
        assert list(answer.decided) == list(before.decided), "I1: a call that is repeated gets the same answer"
        assert not answer.advances
        for old, new in zip(before.claims, answer.claims, strict=True):
            if isinstance(old, UnitClaim):
                found = self.book.find(old.key)
                has = found is not None and found[0].state == "running" and self.book.has(old.hold)
                assert has == isinstance(new, UnitClaim), f"I1: whether {worker} still has {old.key}"
            if isinstance(new, UnitClaim):
                assert new.hold in [claim.hold for claim in before.claims if isinstance(claim, UnitClaim)]
        self.look()

    @precondition(lambda self: self.claims)
    @rule(backs=st.lists(st.tuples(BACK, SHIFT), min_size=1, max_size=3), lease=LEASES)
    def holds_are_kept(self, backs: list[tuple[int, int]], lease: float) -> None:
        client = self.begin()
        claims = [self.claims[-1 - back % len(self.claims)] for back, _ in backs]
        holds = [
            UnitHold(key=claim.key, token=claim.token + shift)
            for claim, (_, shift) in zip(claims, backs, strict=True)
        ]  # fmt: skip
        for hold, answer in zip(holds, self.wait(client.beat(holds, lease)), strict=True):
            found = self.book.find(hold.key)
            has = found is not None and self.book.has(hold) and found[0].state != "cancelled"
            assert answer == has, f"I1: whether somebody has {hold.key}"
            if found is not None and has:
                found[1].lease = self.book.now + lease
        self.look()

    @rule(limit=st.sampled_from([1, 100]))
    def the_dead_are_found(self, limit: int) -> None:
        client = self.begin()
        lost = [
            (unit.lease, run.new.id, unit) for run in self.book.runs.values() for unit in run.units.values()
            if unit.state == "running" and unit.lease <= self.book.now
        ]  # fmt: skip
        if limit < len(lost):
            # Which of them, nobody can say who had his lease end at the same time.
            limit = 100
        assert self.wait(client.reap(limit)) == len(lost), "I5: how many leases ran out"
        for _, run, unit in lost:
            unit.deaths += 1
            self.book.make_ready(self.book.runs[run], unit)
        self.look()

    # --- operators -------------------------------------------------------------------------------------------------

    @rule(run=st.sampled_from(RUNS))
    def a_run_is_cancelled(self, run: str) -> None:
        client = self.begin()
        known = self.book.runs.get(run)
        goes_on = known is not None and known.state == "running"
        assert self.wait(client.cancel(run)) == goes_on, f"I3: whether {run} could be cancelled"
        if known is not None:
            self.book.end_run(known, "cancelled")
        self.look()

    @rule(run=st.sampled_from(RUNS), some=st.booleans())
    def a_run_is_tried_again(self, run: str, some: bool) -> None:
        steps = ["items", "first", "see"] if some else None
        client = self.begin()
        count = self.wait(client.retry(run, steps))
        known = self.book.runs.get(run)
        if known is None or (known.state == "cancelled" and some):
            assert count == 0
            return self.look()
        wanted = [unit for unit in known.units.values() if unit.is_stuck and (steps is None or unit.key.step in steps)]
        assert count == len(wanted), f"I3: what is tried again in {run}"
        if wanted or known.state == "cancelled":
            self.book.take_up(known)
            for unit in wanted:
                self.book.begin_again(known, unit)
            self.book.settle_down(known)
        return self.look()

    @rule(step=st.none() | st.just("items"))
    def units_are_requeued(self, step: str | None) -> None:
        client = self.begin()
        wanted = [
            unit for run in self.book.runs.values() for unit in run.units.values()
            if unit.is_stuck and run.state != "cancelled" and step in (None, unit.key.step)
        ]  # fmt: skip
        keys = self.wait(client.requeue(PIPELINES, step, 100))
        assert sorted(keys) == sorted(unit.key for unit in wanted), "I3: what is requeued"
        for unit in wanted:
            run = self.book.runs[unit.key.run]
            self.book.take_up(run)
            self.book.begin_again(run, unit)
        for id in {unit.key.run for unit in wanted}:
            self.book.settle_down(self.book.runs[id])
        self.look()

    @precondition(lambda self: self.book.runs)
    @rule(pick=PICK)
    def a_run_is_resumed(self, pick: int) -> None:
        [key] = self.picked([pick])
        run, steps = self.book.runs[key.run], self.plans[key.run].from_here(key.step)
        assert self.wait(self.begin().resume_from(key.run, steps)), f"I3: whether {key} can be done again"
        self.book.reset(run, steps)
        self.book.take_up(run)
        self.book.settle_down(run)
        self.look()

    # --- the world turns -------------------------------------------------------------------------------------------

    @rule(seconds=st.sampled_from([1.0, 3.0, 10.0, 60.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def ends_are_told(self) -> None:
        client = self.begin()
        self.wait(client.told(self.wait(client.ended(100))))
        for run in self.book.runs.values():
            run.told = True
        self.wait(client.remove_letters([letter.id for letter in self.wait(client.letters(100))]))
        self.book.letters.clear()
        self.look()

    @rule(what=st.sampled_from(["nothing", "a process begins anew", "old runs are forgotten"]))
    def something_rare_happens(self, what: str) -> None:
        if what == "a process begins anew":
            self.begin()
            self.wait(self.clients[0].close())
            self.clients[0] = self.wait(self.ground.open(self.clock))
        elif what == "old runs are forgotten":
            self.old_runs_are_forgotten(30.0)

    def old_runs_are_forgotten(self, older_than: float) -> None:
        client = self.begin()
        old = [
            id for id, run in self.book.runs.items()
            if run.state != "running" and run.told and run.ended < self.book.now - older_than
        ]  # fmt: skip
        assert self.wait(client.forget(older_than, 100)) == len(old), "I3: which runs are old"
        for id in old:
            del self.book.runs[id]
        self.look()

    # --- faults stop -----------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Let all that is there be done; then every run ends, and nothing may be left."""
        for run in list(self.book.runs):
            self.a_run_is_tried_again(run, False)
        self.clock.advance(1000.0)
        self.the_dead_are_found(100)
        self.looking = False
        self.do_all()
        self.looking = True
        self.look()
        self.ends_are_told()
        self.clock.advance(10.0)
        self.old_runs_are_forgotten(1.0)
        assert list(self.wait(self.ground.kept())) == [], "I6: the store keeps these of runs that are forgotten"
