"""What a store must answer, by the book; and what the book must note of it."""

from goatherd.model.run_record import (
    AgainLater,
    Arrived,
    Decision,
    FailRun,
    Foresee,
    LeaveOut,
    LetGo,
    NoClaim,
    PassOver,
    Separate,
    Spread,
    StandIn,
    Succeed,
    UnitClaim,
    UnitExchange,
    UnitExchanged,
    UnitKey,
    UnitSettlement,
)
from tests.conformance.step_book import Book, Run, Unit


class Answers:
    """Compares the answers to an exchange with the book, one by one, in the order in which they are carried out."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def check(self, exchange: UnitExchange, answer: UnitExchanged) -> None:
        book = self.book
        book.ready = book.ended = False
        book.moved.clear()
        for settlement, done in zip(exchange.settled, answer.settled, strict=True):
            self._settle(settlement, done)
        for decision, made in zip(exchange.decided, answer.decided, strict=True):
            assert self._decide(decision) == made, f"I3: whether this was decided: {decision}"
        for key, claim in zip(exchange.wanted, answer.claims, strict=True):
            self._claim(key, claim, exchange.lease)
        assert answer.ready or not book.ready, "I5: units became ready, and nobody is told so"
        assert answer.ended or not book.ended, "I3: a run ended or left a letter, and nobody is told so"
        told = {(each.run, each.step) for each in answer.advances}
        assert len(told) == len(answer.advances), "a step is told twice"
        assert book.moved <= told, f"these moved, and nobody is told so: {book.moved - told}"
        for each in answer.advances:
            run = book.runs[each.run]
            expected = (run.head(each.step).state, *run.progress(each.step))
            assert (each.state, each.done, each.total) == expected, f"I3: how far {each.step} of {each.run} is"

    # --- what somebody had -----------------------------------------------------------------------------------------

    def _settle(self, settlement: UnitSettlement, done: bool) -> None:
        book, hold = self.book, settlement.hold
        if not book.has(hold):
            assert not done or hold in book.settled, f"I1: {hold.key} was not his who settled it"
            return
        found = book.find(hold.key)
        assert found is not None
        run, unit = found
        in_vain = isinstance(settlement, Succeed) and run.state == "cancelled"
        assert done == (not in_vain), f"I1: {hold.key} was his who settled it"
        book.settled.add(hold)
        self._carry_out(run, unit, settlement)

    def _carry_out(self, run: Run, unit: Unit, settlement: UnitSettlement) -> None:
        book = self.book
        match settlement:
            case Succeed():
                book.end(run, unit, "done", settlement.result)
            case LeaveOut():
                unit.trouble = settlement.trouble
                book.end(run, unit, "skipped")
            case AgainLater():
                unit.failures, unit.deaths = settlement.failures, 0
                unit.trouble = settlement.trouble or unit.trouble
                book.make_ready(run, unit, book.now + settlement.delay)
            case Separate():
                self._separate(run, unit, settlement)
            case StandIn():
                unit.phase, unit.failures, unit.deaths, unit.trouble = "compensate", 0, 0, settlement.trouble
                book.make_ready(run, unit)
                book.settle_down(run)
            case FailRun():
                self._fail(run, unit, settlement)
            case LetGo():
                book.make_ready(run, unit, unit.due)

    def _separate(self, run: Run, unit: Unit, settlement: Separate) -> None:
        del run.units[unit.key]
        for number, content in enumerate(settlement.contents):
            key = UnitKey(run=unit.key.run, step=unit.key.step, item=unit.key.item + number)
            run.units[key] = Unit(key=key, state="held", size=1, content=content, trouble=settlement.trouble)
        self.book.settle_down(run)

    def _fail(self, run: Run, unit: Unit, failure: FailRun | Foresee) -> None:
        unit.state, unit.trouble, unit.tell = "failed", failure.trouble, None
        self.book.letters.append(failure.letter)
        self.book.ended = True
        self.book.moved.add((run.new.id, unit.key.step))
        self.book.end_run(run, "failed", unit.key.step, failure.trouble)
        self.book.settle_down(run)

    # --- what nobody has -------------------------------------------------------------------------------------------

    def _decide(self, decision: Decision) -> bool:
        found = self.book.find(decision.key)
        if found is None:
            return False
        run, unit = found
        if isinstance(decision, Arrived):
            fits = unit.state in ("ready", "running")
        else:
            fits = unit.state == "ready" and run.state == "running"
        if fits:
            self._make(run, unit, decision)
        return fits

    def _make(self, run: Run, unit: Unit, decision: Decision) -> None:
        match decision:
            case Arrived():
                self.book.end(run, unit, "done", decision.result)
            case PassOver():
                self.book.end(run, unit, "skipped")
            case Foresee():
                self._fail(run, unit, decision)
            case Spread():
                unit.state, unit.spread, unit.at_once, unit.tell = "spread", True, decision.at_once, None
                for parcel in decision.parcels:
                    key = UnitKey(run=unit.key.run, step=unit.key.step, item=parcel.item)
                    run.units[key] = Unit(key=key, state="held", size=parcel.size, content=parcel.content)
                self.book.moved.add((run.new.id, unit.key.step))
                self.book.settle_down(run)

    # --- what somebody wants ---------------------------------------------------------------------------------------

    def _claim(self, key: UnitKey, claim: UnitClaim | NoClaim, lease: float) -> None:
        book = self.book
        found = book.find(key)
        if found is None:
            run = book.runs.get(key.run)
            known = run is not None and any(step.name == key.step for step in run.new.steps)
            assert claim in (("early", "over") if known else ("unknown",)), f"I3: {key} is not there, and was {claim}"
            return
        run, unit = found
        refusal = self._refusal(run, unit)
        if isinstance(claim, str):
            assert claim == refusal, f"I5: {key} is {unit.state} of a {run.state} run, and was refused as {claim}"
            return
        invariant = {"taken": "I1", "over": "I2", "early": "I3 and I4"}.get(refusal or "")
        assert invariant is None, f"{invariant}: {key} was given, though it is {refusal}: {unit.state}"
        assert claim.token > max(book.tokens.get(key, 0), int(run.created * 1_000_000)), f"I1: tokens of {key} grow"
        unit.deaths += unit.state == "running"
        told = (claim.key, claim.size, claim.content, claim.phase, claim.failures, claim.deaths, claim.trouble)
        expected = (key, unit.size, unit.content, unit.phase, unit.failures, unit.deaths, unit.trouble)
        assert told == expected, f"I2: {key} was given as another than it is"
        unit.state, unit.token, unit.lease, unit.tell = "running", claim.token, book.now + lease, None
        book.tokens[key] = claim.token

    def _refusal(self, run: Run, unit: Unit) -> NoClaim | None:
        if run.state != "running" or unit.state in ("done", "skipped", "failed", "spread"):
            return "over"
        if unit.state == "running":
            return "taken" if unit.lease > self.book.now else None
        return None if unit.state == "ready" and unit.due <= self.book.now else "early"
