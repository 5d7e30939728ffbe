"""Cases: results, the ends of runs, and what they leave."""

from goatherd.model.run_record import EndedRun
from goatherd.ports.steps import INPUT
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import DIAMOND, LINE, ONE, RUN, TROUBLE, Plan, Worker, failing, parcels
from goatherd.testing.suites.step_store import OpenStore, StepsCases, StepStore


class ResultCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_results_by_run_and_step(self, steps: StepStore, other: StepStore) -> None:
        await DIAMOND.begin(steps, "a", "b")
        worker = Worker(steps, DIAMOND)
        await worker.do("cut", result='{"ü":[1,2.5,null]}'.encode(), run="a")
        await worker.do("cut", result=b"2", run="b")
        await worker.one("see", run="a")
        wanted = [("b", "cut"), ("a", "cut"), ("a", "see"), ("a", "join"), ("a", "none"), ("c", "cut"), ("b", "cut")]
        found = list(await other.results(wanted))
        assert found == [b"2", '{"ü":[1,2.5,null]}'.encode(), None, None, None, None, b"2"]
        assert list(await steps.results([])) == []

    async def test_the_input_is_asked_for_as_a_step(self, steps: StepStore) -> None:
        await steps.begin([ONE.run(input='["ü"]'.encode())])
        assert list(await steps.results([(RUN, INPUT), ("nobody", INPUT)])) == ['["ü"]'.encode(), None]

    async def test_results_are_there_after_the_run_has_ended(self, steps: StepStore) -> None:
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        await worker.do("first", result=b"1")
        await worker.settle(failing(await worker.one("second")))
        assert list(await steps.results([(RUN, "first"), (RUN, "second"), (RUN, INPUT)])) == [b"1", None, b'{"film":1}']

    async def test_a_list_is_in_the_order_of_its_items(self, steps: StepStore) -> None:
        plan = Plan(each=(), all=["each"])
        await plan.begin(steps)
        worker = Worker(steps, plan)
        await worker.spread("each", parcels(12, size=2))
        for first in (22, 2, 10, 0, 8, 4, 20, 6, 12, 14, 18, 16):
            await worker.do("each", first, b"%d,%d" % (first, first + 1))
        assert list(await steps.results([(RUN, "each")])) == [b"[" + b",".join(b"%d" % n for n in range(24)) + b"]"]


class EndCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_runs_that_have_ended_are_named_until_they_were_told(
        self, steps: StepStore, other: StepStore, clock: StandingClock
    ) -> None:
        await ONE.begin(steps, "done", "failed", "cancelled", "running")
        worker = Worker(steps)
        assert list(await steps.ended(10)) == []
        began = clock.time
        clock.advance(1.0)
        await worker.do("work", run="done")
        clock.advance(1.0)
        await worker.settle(failing(await worker.one(run="failed")))
        clock.advance(1.0)
        await steps.cancel("cancelled")
        clock.advance(1.0)
        ended = await other.ended(10)
        assert sorted(ended, key=lambda run: run.ended_at) == [
            EndedRun(id="done", pipeline="film", state="done", ended_at=began + 1.0, step="work"),
            EndedRun(
                id="failed", pipeline="film", state="failed", ended_at=began + 2.0, step="work", trouble=TROUBLE
            ),
            EndedRun(id="cancelled", pipeline="film", state="cancelled", ended_at=began + 3.0),
        ]  # fmt: skip
        assert len(await steps.ended(2)) == 2
        await steps.told(ended[:1])
        assert {run.id for run in await other.ended(10)} == {run.id for run in ended[1:]}
        await steps.told([*ended, *ended])
        assert list(await steps.ended(10)) == []

    async def test_who_was_told_of_one_end_does_not_know_of_another(self, steps: StepStore) -> None:
        await ONE.begin(steps)
        worker = Worker(steps)
        ends: list[EndedRun] = []
        # All at the same moment.
        for _ in range(3):
            await worker.settle(failing(await worker.one()))
            ends += await steps.ended(10)
            await steps.retry(RUN)
            assert list(await steps.ended(10)) == []
        await worker.settle(failing(await worker.one()))
        await steps.told(ends)
        [ended] = await steps.ended(10)
        await steps.told([ended])
        assert list(await steps.ended(10)) == []
        await steps.retry(RUN)
        await worker.do("work")
        assert [run.state for run in await steps.ended(10)] == ["done"]

    async def test_letters_are_the_same_until_they_are_removed(self, steps: StepStore, other: StepStore) -> None:
        await ONE.begin(steps, *"abc")
        worker = Worker(steps)
        for run in "abc":
            await worker.settle(failing(await worker.one(run=run), b"\x00\xff" + run.encode()))
        letters = await steps.letters(10)
        assert [letter.content for letter in letters] == [b"\x00\xffa", b"\x00\xffb", b"\x00\xffc"]
        assert len({letter.id for letter in letters}) == 3
        assert list(await other.letters(10)) == list(letters)
        assert list(await steps.letters(2)) == list(letters[:2])
        await other.remove_letters([letters[0].id, "unknown"])
        assert list(await steps.letters(10)) == list(letters[1:])
        await steps.remove_letters([letter.id for letter in letters])
        await steps.remove_letters([])
        assert list(await steps.letters(10)) == []

    async def test_all_that_an_end_brings_about_is_there_after_everybody_has_left(
        self, steps: StepStore, open_store: OpenStore
    ) -> None:
        await ONE.begin(steps, "done", "failed")
        worker = Worker(steps)
        await worker.exchange(worker.success(await worker.one(run="done")), failing(await worker.one(run="failed")))
        await steps.close()
        again = await open_store()
        assert {run.id: run.state for run in await again.ended(10)} == {"done": "done", "failed": "failed"}
        assert len(await again.letters(10)) == 1
