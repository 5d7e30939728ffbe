"""Compares a store of runs with the book of them."""

from goatherd.model.run_record import RunFilter, RunLook
from goatherd.testing.suites.step_store import StepStore
from tests.conformance.step_book import OVER, Book, Run


class Look:
    """What everybody can see must be as the book has it."""

    def __init__(self, book: Book) -> None:
        self.book = book

    async def at_store(self, steps: StepStore) -> None:
        book = self.book
        found = {run.id: run for run in await steps.find(RunFilter(), 100)}
        assert found.keys() == book.runs.keys(), "I3: which runs there are"
        for id, run in book.runs.items():
            assert found[id].state == run.state, f"I3: {id} is {found[id].state} and must be {run.state}"
            assert found[id].trouble == run.trouble, f"I3: why {id} failed"
            look = await steps.look(id)
            assert look is not None
            self._at_run(run, look)
            names = [step.name for step in run.new.steps]
            results = await steps.results([(id, name) for name in names])
            assert list(results) == [run.result(name) for name in names], f"I2: the results of {id}"
        letters = [letter.content for letter in await steps.letters(1000)]
        assert letters == book.letters, "I3: the letters"
        ended = {run.id: run.state for run in await steps.ended(1000)}
        untold = {id: run.state for id, run in book.runs.items() if run.state != "running" and not run.told}
        assert ended == untold, "I3: which runs have ended and were not told"

    def _at_run(self, run: Run, look: RunLook) -> None:
        assert [step.name for step in look.steps] == [step.name for step in run.new.steps]
        for step in look.steps:
            head, units = run.head(step.name), [run.head(step.name), *run.parcels(step.name)]
            told = (step.state, step.done, step.total)
            assert told == (head.state, *run.progress(step.name)), f"I3: how {step.name} of {run.new.id} stands"
            running = sum(unit.state == "running" for unit in units)
            assert step.running == running, f"I1: how many have units of {step.name} of {run.new.id}"
            failed = sum(max(1, unit.size) for unit in units if unit.state == "failed")
            compensating = sum(
                max(1, unit.size) for unit in units if unit.phase == "compensate" and unit.state in ("ready", "running")
            )
            assert (step.failed, step.compensating) == (failed, compensating), f"I3: trouble of {step.name}"
            skipped = sum(unit.size for unit in units if unit.state == "skipped")
            assert step.skipped == skipped, f"I3: what was left out of {step.name}"
            if head.at_once is not None and head.state not in OVER:
                assert sum(unit.has_place for unit in units) <= head.at_once, f"I4: {step.name} of {run.new.id}"
