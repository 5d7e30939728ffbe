"""Cases: what operators see of runs."""

from goatherd.model.run_record import RunFilter, RunSummary, StepLook
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import (
    LINE,
    ONE,
    RUN,
    TROUBLE,
    Plan,
    Worker,
    again,
    failing,
    key,
    parcels,
    stand_in,
)
from goatherd.testing.suites.step_store import StepsCases, StepStore

MAP = Plan(each=(), all=["each"])


class LookCases(StepsCases):
    """Part of `StepsSuite`."""

    async def test_runs_are_found_newest_first(self, steps: StepStore, clock: StandingClock) -> None:
        for number, run in enumerate("mazb"):
            plan = Plan("even", work=()) if number % 2 == 0 else Plan("odd", work=())
            await steps.begin([plan.run(run)])
            clock.advance(1.0)
        worker = Worker(steps)
        await worker.do("work", run="m")
        await worker.settle(failing(await worker.one(run="a")))
        await steps.cancel("z")

        async def found(**wanted: object) -> str:
            return "".join(run.id for run in await steps.find(RunFilter(**wanted), 10))  # type: ignore[arg-type]

        assert await found() == "bzam"
        assert [run.id for run in await steps.find(RunFilter(), 2)] == ["b", "z"]
        assert (await found(pipeline="even"), await found(pipeline="odd"), await found(pipeline="no")) == (
            "zm",
            "ba",
            "",
        )
        ends = [await found(state=state) for state in ("running", "done", "failed", "cancelled")]
        assert ends == ["b", "m", "a", "z"]
        assert await found(state="failed", pipeline="even") == ""

    async def test_runs_are_found_by_a_step_that_has_trouble(self, steps: StepStore, clock: StandingClock) -> None:
        await LINE.begin(steps, "fails", "waits", "retries", "fine", "later")
        worker = Worker(steps, LINE)
        await worker.settle(failing(await worker.one("first", run="fails")))
        await worker.settle(stand_in(await worker.one("first", run="waits")))
        await worker.settle(again(await worker.one("first", run="retries")))
        await worker.do("first", run="later")
        await worker.settle(failing(await worker.one("second", run="later")))
        troubled = await steps.find(RunFilter(troubled_step="first"), 10)
        assert {run.id for run in troubled} == {"fails", "waits"}
        assert [run.id for run in await steps.find(RunFilter(troubled_step="first", state="running"), 10)] == ["waits"]
        assert list(await steps.find(RunFilter(troubled_step="first", pipeline="none"), 10)) == []
        await worker.do("first", run="waits")
        await steps.retry("fails")
        assert list(await steps.find(RunFilter(troubled_step="first"), 10)) == []

    async def test_a_run_in_one_line(self, steps: StepStore, clock: StandingClock) -> None:
        plan = Plan(left=(), right=(), join=["left", "right"])
        began = clock.time
        await plan.begin(steps)
        worker = Worker(steps, plan)
        await worker.do("right")
        [run] = await steps.find(RunFilter(), 10)
        assert run == RunSummary(
            id=RUN, pipeline="film", state="running", created=began, ended_at=None, steps_done=1, steps=3,
            now_at=("left",),
        )  # fmt: skip
        clock.advance(1.0)
        await worker.settle(failing(await worker.one("left")))
        [run] = await steps.find(RunFilter(), 10)
        assert run == RunSummary(
            id=RUN, pipeline="film", state="failed", created=began, ended_at=began + 1.0, steps_done=1, steps=3,
            now_at=("left",), trouble=TROUBLE,
        )  # fmt: skip
        await steps.retry(RUN)
        [run] = await steps.find(RunFilter(), 10)
        assert (run.state, run.ended_at, run.trouble, run.now_at) == ("running", None, None, ("left",))
        clock.advance(1.0)
        await worker.do("left")
        await worker.do("join")
        [run] = await steps.find(RunFilter(), 10)
        assert (run.state, run.ended_at, run.steps_done, run.now_at) == ("done", began + 2.0, 3, ())

    async def test_steps_are_told_in_the_order_in_which_they_were_planned(self, steps: StepStore) -> None:
        plan = Plan(zero=(), yacht=["zero"], apple=["zero"], mouse=["yacht", "apple"])
        await plan.begin(steps)
        look = await steps.look(RUN)
        assert look is not None
        assert [step.name for step in look.steps] == ["zero", "yacht", "apple", "mouse"]
        assert look.input == b'{"film":1}'
        assert look.summary == (await steps.find(RunFilter(), 10))[0]
        assert await steps.look("unknown") is None

    async def test_a_step_as_it_stands(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        began = clock.time
        worker = Worker(steps, lease=10.0)
        clock.advance(1.0)
        await worker.one()
        assert await self.step(steps, "work") == StepLook(
            name="work", state="running", phase="do", done=0, total=1, skipped=0, failed=0, compensating=0, running=1,
            failures=0, deaths=0, started_at=began + 1.0, ended_at=None, worker=worker.name,
        )  # fmt: skip
        clock.advance(10.0)
        await worker.settle(again(await worker.one(), failures=2))
        look = await self.step(steps, "work")
        assert (look.state, look.running, look.worker, look.failures, look.trouble) == ("ready", 0, "", 2, TROUBLE)
        await worker.settle(stand_in(await worker.one()))
        look = await self.step(steps, "work")
        assert (look.state, look.phase, look.compensating, look.failed) == ("ready", "compensate", 1, 0)
        await worker.one()
        look = await self.step(steps, "work")
        assert (look.state, look.phase, look.compensating, look.running) == ("running", "compensate", 1, 1)
        clock.advance(10.0)
        await worker.do("work")
        look = await self.step(steps, "work")
        assert (look.state, look.done, look.compensating, look.ended_at) == ("done", 1, 0, clock.time)

    async def test_deaths_are_told(self, steps: StepStore, clock: StandingClock) -> None:
        await ONE.begin(steps)
        worker = Worker(steps, lease=10.0)
        await worker.one()
        clock.advance(10.0)
        await steps.reap(10)
        assert (await self.step(steps, "work")).deaths == 1

    async def test_a_step_of_items_as_it_stands(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(6, size=2), at_once=5)
        await worker.do("each", 0, b"0,1")
        await worker.settle(worker.left_out(await worker.one("each", 2)))
        await worker.settle(stand_in(await worker.one("each", 4)))
        await worker.settle(again(await worker.one("each", 6), failures=2))
        await worker.one("each", 8)
        look = await self.step(steps, "each")
        counts = (look.state, look.done, look.total, look.skipped, look.failed, look.compensating, look.running)
        assert counts == ("spread", 4, 12, 2, 0, 2, 1)
        assert look.worker == worker.name
        assert look.trouble == TROUBLE
        await worker.settle(failing(await worker.one("each", 10)))
        look = await self.step(steps, "each")
        assert (look.state, look.failed, look.done) == ("spread", 2, 4)
        waiting = await self.step(steps, "all")
        assert (waiting.state, waiting.done, waiting.total) == ("waiting", 0, 1)

    async def test_a_run_of_items_tells_the_step_that_is_at_work(self, steps: StepStore) -> None:
        await MAP.begin(steps)
        worker = Worker(steps, MAP)
        await worker.spread("each", parcels(2))
        [run] = await steps.find(RunFilter(), 10)
        assert run.now_at == ("each",)
        await worker.settle(failing(await worker.one("each", 0)))
        [run] = await steps.find(RunFilter(), 10)
        assert (run.now_at, run.trouble) == (("each",), TROUBLE)
        assert list(await worker.claim(key("each", 1))) == ["over"]

    async def step(self, steps: StepStore, name: str) -> StepLook:
        """One step of the case's run."""
        look = await steps.look(RUN)
        assert look is not None
        [step] = [step for step in look.steps if step.name == name]
        return step
