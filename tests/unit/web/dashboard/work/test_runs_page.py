"""Runs: the list, and one as a graph."""

import pytest

from tests.unit.desk.shop import Shop
from tests.unit.web.dashboard.callers import Caller
from tests.unit.web.dashboard.work.looks import actions, shows


@pytest.fixture
async def failed(at_work: Shop, browser: Caller) -> str:
    """A run whose second step failed; its path."""
    at_work.broken.add("ice")
    await at_work.bake.options(id="cake/1").start("<b>cake</b>")
    await shows(browser, "/runs?state=failed", 'id="run-cake/1"')
    return "/runs/cake%2F1"


async def test_runs_are_found_by_pipeline_and_state(failed: str, browser: Caller) -> None:
    for query, has in {"pipeline=bake": True, "pipeline=archive": False, "state=done": False, "": True}.items():
        assert ('id="run-cake/1"' in (await browser.get(f"/runs?{query}")).text) == has, query
    assert (await browser.get("/runs?pipeline=none")).status_code == 404


async def test_a_run_is_drawn_with_the_step_that_failed_beside_it(failed: str, browser: Caller) -> None:
    page = (await browser.get(failed)).text
    for words in ('id="step-mix"', 'id="step-ice"', 'id="step-box"', "no sugar", "Retry this step", "raise ValueError"):
        assert words in page, words
    assert page.count('class="dag-line') == 2
    assert "<b>cake" not in page
    assert '<h2 id="step">mix</h2>' in (await browser.get_part(f"{failed}?part=glance&step=mix")).text
    assert (await browser.get("/runs/none")).status_code == 404


async def test_what_failed_is_tried_again(at_work: Shop, failed: str, browser: Caller) -> None:
    assert (await browser.act(f"{failed}/retry", {"step": "box"}, hx_request="true")).status_code == 409
    at_work.broken.clear()
    assert (await browser.act(f"{failed}/retry", {"step": "ice"}, hx_request="true")).status_code == 204
    await shows(browser, "/runs?state=done", 'id="run-cake/1"')
    assert "Retry" not in (await browser.get(failed)).text
    answer = await browser.act(f"{failed}/resume", {"step": "ice"}, hx_request="true")
    assert "ice, box" in answer.headers["hx-trigger"]
    await shows(browser, "/runs?state=done", 'id="run-cake/1"')
    assert [line.partition(" ")[0] for line in await actions(at_work.app)] == [
        "run.resume_from", "run.retry", "run.retry",
    ]  # fmt: skip


async def test_a_run_is_cancelled_and_taken_up_again(shop: Shop, browser: Caller) -> None:
    async with shop.app:
        await shop.bake.options(id="cake").start("cake")
        assert (await browser.act("/runs/cake/cancel", hx_request="true")).status_code == 204
        assert "Take up again" in (await browser.get("/runs/cake")).text
        assert (await browser.act("/runs/cake/cancel", hx_request="true")).status_code == 409
        await browser.act("/runs/cake/retry", hx_request="true")
        assert "running" in (await browser.get("/runs/cake")).text


async def test_viewers_see_no_buttons(failed: str, viewer: Caller) -> None:
    assert 'method="post" action="/runs' not in (await viewer.get(failed)).text
    assert (await viewer.post(f"{failed}/retry")).status_code == 403
