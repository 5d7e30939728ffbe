"""Who has no valid token learns nothing, not even whether there is such a job."""

import pytest
from playwright.async_api import BrowserContext

from goatherd.model.ids import new_id
from tests.browser.marks import IN_CHROMIUM
from tests.browser.scribe import PIECES, Scribe
from tests.browser.services import Site, token_for
from tests.browser.tab import PATIENCE, Tab, follow

# No store has a part in it, so one will do.
pytestmark = [*IN_CHROMIUM, pytest.mark.parametrize("site", ["sqlite"], indirect=True)]

PROBLEM = "window.problem"


async def problem_of(tab: Tab) -> dict[str, object]:
    await tab.becomes("failed")
    await tab.page.wait_for_function(f"{PROBLEM} !== null", timeout=PATIENCE)
    problem: dict[str, object] = await tab.page.evaluate(PROBLEM)
    return problem


@pytest.mark.parametrize("token", ["", "x.y", "expired", "altered"])
async def test_a_stranger_is_turned_away_with_401(
    context: BrowserContext, site: Site, scribe: Scribe, token: str
) -> None:
    await scribe.start()
    await scribe.say("for friends only")
    tokens = {"expired": token_for(scribe.job_id, seconds=-1), "altered": token_for(scribe.job_id)[:-3]}
    tab = await follow(context, "watch", site.origin, scribe, token=tokens.get(token, token))
    problem = await problem_of(tab)
    assert (problem["name"], problem["status"]) == ("WatchError", 401)
    assert await tab.told() == []
    await tab.shows("")
    assert len(tab.requests) == 1
    assert tab.errors == []


async def test_a_token_for_another_job_is_turned_away_with_403(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    tab = await follow(context, "watch", site.origin, scribe, token=token_for(new_id()))
    assert (await problem_of(tab))["status"] == 403
    assert await tab.told() == []


async def test_a_stranger_does_not_learn_whether_there_is_such_a_job(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    messages = []
    for job_id in (scribe.job_id, new_id()):
        tab = Tab(await context.new_page())
        await tab.open("watch", site.origin, job_id, token="x.y")
        messages.append(str((await problem_of(tab))["message"]).replace(job_id, "…"))
    assert messages[0] == messages[1]


async def test_an_eventsource_of_a_stranger_gives_up(context: BrowserContext, site: Site, scribe: Scribe) -> None:
    await scribe.start()
    await scribe.say("for friends only")
    tab = await follow(context, "plain", site.origin, scribe, token="x.y")
    await tab.is_cut_off()
    assert await tab.told() == []
    assert len(tab.requests) == 1


async def test_a_job_that_nobody_knows_is_told_as_such(context: BrowserContext, site: Site) -> None:
    tab = Tab(await context.new_page())
    await tab.open("watch", site.origin, new_id())
    assert (await problem_of(tab))["status"] == 404
    assert len(tab.requests) == 1


async def test_a_page_gets_another_token_when_the_first_expires(
    context: BrowserContext, site: Site, scribe: Scribe
) -> None:
    tokens = [token_for(scribe.job_id, seconds=2), token_for(scribe.job_id)]
    tab = await follow(context, "watch", site.origin, scribe, tokens=tokens)
    await scribe.start()
    await scribe.say(*PIECES)
    await tab.shows(scribe.text)
    await tab.comes_back(1)
    await scribe.say(*PIECES)
    await tab.shows(scribe.text)
    await scribe.finish()
    await tab.becomes("ended")
    assert [request.headers["authorization"] for request in tab.requests] == [f"Bearer {token}" for token in tokens]
    assert tab.errors == []
