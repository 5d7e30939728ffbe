import pytest

from goatherd.desk import runs
from goatherd.desk.errors import NotNow, NotThere, for_shell
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


async def test_a_run_is_a_graph_with_the_state_of_each_step(shop: Shop, herd: Herd) -> None:
    await shop.bake.options(id="cake-1").start("cake")
    await herd.drain()
    detail = await runs.run(shop.app, "cake-1")
    assert (detail.run.state, detail.run.steps_done, detail.run.steps_total) == ("done", 3, 3)
    assert (detail.input, detail.in_code, detail.tick) == ("cake", True, False)
    assert [(step.name, step.rank, step.state, step.percent) for step in detail.steps] == [
        ("mix", 0, "done", 100.0),
        ("ice", 1, "done", 100.0),
        ("box", 2, "done", 100.0),
    ]
    assert [(edge.source, edge.target) for edge in detail.edges] == [("mix", "ice"), ("ice", "box")]
    assert detail.steps[1].map
    assert (detail.steps[1].done, detail.steps[1].total) == (2, 2)
    assert [each.run for each in await runs.runs(shop.app, pipeline="bake", state="done")] == ["cake-1"]
    assert await runs.runs(shop.app, state="failed") == []


async def test_what_failed_is_told_and_tried_again(shop: Shop, herd: Herd) -> None:
    shop.broken.add("ice")
    await shop.bake.options(id="cake-1").start("cake")
    await herd.drain()
    [failed] = await runs.runs(shop.app, troubled_step="ice")
    assert failed.trouble is not None
    assert (failed.now_at, failed.trouble.message) == (("ice",), "no sugar")
    shop.broken.clear()
    assert await runs.retry(shop.app, "cake-1") >= 1
    await herd.drain()
    assert (await runs.run(shop.app, "cake-1")).run.state == "done"
    with pytest.raises(NotNow) as refused:
        await runs.retry(shop.app, "cake-1")
    assert str(refused.value) == "Nothing has failed of run cake-1: it is done."
    assert for_shell(refused.value).endswith("it is done; --from STEP does a step and all after it again.")


async def test_a_run_goes_back_to_a_step(shop: Shop, herd: Herd) -> None:
    await shop.bake.options(id="cake-1").start("cake")
    await herd.drain()
    assert await runs.resume_from(shop.app, "cake-1", "ice") == ["ice", "box"]
    assert [step.state for step in (await runs.run(shop.app, "cake-1")).steps] == ["done", "ready", "waiting"]
    with pytest.raises(NotThere, match="Did you mean 'ice'"):
        await runs.resume_from(shop.app, "cake-1", "icee")


async def test_a_run_is_cancelled_once(shop: Shop, herd: Herd) -> None:
    await shop.bake.options(id="cake-1").start("cake")
    await runs.cancel(shop.app, "cake-1")
    with pytest.raises(NotNow, match=r"run cake-1 had ended \(cancelled\)"):
        await runs.cancel(shop.app, "cake-1")
    assert await runs.retry(shop.app, "cake-1") == 0
    assert (await runs.run(shop.app, "cake-1")).run.state == "running"


async def test_failed_items_of_all_runs(shop: Shop, herd: Herd) -> None:
    shop.broken.add("ice")
    for number in (1, 2):
        await shop.bake.options(id=f"cake-{number}").start("cake")
    await herd.drain()
    assert await runs.requeue(shop.app, "bake", "ice") >= 2
    with pytest.raises(NotThere, match="has no pipeline 'brew'"):
        await runs.requeue(shop.app, "brew")


async def test_a_tick_is_a_run_too(shop: Shop, herd: Herd) -> None:
    await herd.advance(3600)
    [tick] = await runs.runs(shop.app, pipeline="archive")
    assert (await runs.run(shop.app, tick.run)).tick


async def test_a_run_that_is_not_there(shop: Shop, herd: Herd) -> None:
    with pytest.raises(NotThere, match="There is no run 'nothing'"):
        await runs.run(shop.app, "nothing")
