"""An answer in the middle of which something happens: the text is right in the end, character by character."""

import pytest
from playwright.async_api import BrowserContext, Route, expect

from examples.chat.story.model_server import answer_to
from examples.chat.story.stage import Stage
from tests.browser.chat.chat_tab import ChatTab
from tests.browser.chat.conftest import ON_SERVERS
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM

EVERYWHERE = pytest.mark.parametrize("stage", ["sqlite", ON_SERVERS], indirect=True)


@EVERYWHERE
async def test_a_page_that_is_loaded_again_goes_on_where_it_was(stage: Stage, tab: ChatTab) -> None:
    question = await half_an_answer(stage, tab)
    for _ in range(2):
        await tab.page.reload()
        await tab.is_half_there()
        await expect(tab.page.locator(".steps .present")).to_have_text("Answer")
        await expect(tab.page.locator(".sources li").first).to_be_visible()
    stage.model.go_on()
    await ends_with(tab, question)
    assert tab.network_errors == []


@EVERYWHERE
async def test_two_tabs_see_the_same(stage: Stage, tab: ChatTab, context: BrowserContext) -> None:
    other = ChatTab(await context.new_page(), stage.chat.url)
    await other.open(tab.chat_id)
    question = await half_an_answer(stage, tab)
    await other.is_half_there()
    stage.model.go_on()
    for one in (tab, other):
        await ends_with(one, question)
    answered = stage.a_question()
    await other.ask(answered)
    for one in (tab, other):
        await expect(one.exchanges).to_have_count(2)
        await ends_with(one, answered)
    assert await tab.page.locator("#exchanges").inner_text() == await other.page.locator("#exchanges").inner_text()
    assert tab.network_errors + other.errors + other.network_errors == []


@EVERYWHERE
async def test_a_worker_that_is_killed_is_told_of_and_the_text_begins_anew(stage: Stage, tab: ChatTab) -> None:
    question = await half_an_answer(stage, tab)
    stage.model.hold_at(3)  # the second attempt is not so far yet
    stage.chat.worker.kill()
    await tab.has_note("The worker was lost; starting again.")
    await expect(tab.text).not_to_contain_text("word9")
    stage.model.go_on()
    await ends_with(tab, question)
    stage.chat.worker.await_ready()
    assert tab.network_errors == []


@EVERYWHERE
@pytest.mark.parametrize("how", ["key", "button"])
async def test_an_answer_is_stopped_and_asked_for_again(stage: Stage, tab: ChatTab, how: str) -> None:
    question = await half_an_answer(stage, tab)
    left = stage.model.left
    if how == "key":
        await tab.page.keyboard.press("Escape")
    else:
        await tab.page.get_by_role("button", name="Stop the answer").click()
    await tab.has_problem("This answer was stopped.")
    await expect(tab.text).to_contain_text("word9")
    assert stage.model.wait_until_left(left + 1), "the worker goes on asking the language model"
    await expect(tab.message).to_be_focused()
    stage.model.go_on()
    await tab.page.reload()
    await tab.has_problem("This answer was stopped.")
    await tab.page.get_by_role("button", name="Try again").click()
    await expect(tab.exchanges).to_have_count(2)
    await ends_with(tab, question)
    assert tab.network_errors == []


async def test_a_gateway_that_is_killed_is_waited_for(stage: Stage, tab: ChatTab) -> None:
    question = await half_an_answer(stage, tab)
    stage.chat.gateway.kill()
    await expect(tab.page.locator("#connection")).to_have_text("Reconnecting…")
    stage.chat.gateway.await_ready()
    stage.model.go_on()
    await ends_with(tab, question)
    await expect(tab.page.locator("#connection")).to_be_empty()


async def test_a_token_that_is_refused_is_asked_for_anew(stage: Stage, tab: ChatTab) -> None:
    async def spoil_token(route: Route) -> None:
        response = await route.fetch()
        await route.fulfill(response=response, json={**await response.json(), "stream_token": "x.y"})

    await tab.page.route("**/messages", spoil_token, times=1)
    question = await half_an_answer(stage, tab)
    stage.model.go_on()
    await ends_with(tab, question)


async def test_an_answer_that_fails_says_why_and_can_be_asked_for_again(stage: Stage, tab: ChatTab) -> None:
    question = stage.a_question()
    stage.model.refuse(1000)
    try:
        await tab.ask(question)
        await tab.has_note("This attempt failed; trying again.")
        await tab.has_problem("There is no answer: ")
        await tab.has_problem("refused the question with 503")
    finally:
        stage.model.refuse(0)
    await tab.page.reload()
    await tab.has_problem("refused the question with 503")
    await tab.page.get_by_role("button", name="Try again").click()
    await ends_with(tab, question)


async def test_a_question_that_does_not_arrive_is_not_lost(stage: Stage, tab: ChatTab) -> None:
    question = stage.a_question()
    stage.chat.api.stop()
    try:
        await tab.ask(question)
        await tab.has_problem("Your message was not sent.")
    finally:
        stage.chat.api.start()
    await tab.page.get_by_role("button", name="Try again").click()
    await expect(tab.exchanges).to_have_count(1)
    await ends_with(tab, question)


async def test_what_is_written_is_never_markup(stage: Stage, tab: ChatTab) -> None:
    question = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) <b>&amp;</b>"
    await tab.ask(question)
    await tab.shows(answer_to(question))
    assert await tab.exchanges.locator("b, a, .text img, .said img").count() == 0
    assert tab.network_errors == []


async def half_an_answer(stage: Stage, tab: ChatTab) -> str:
    """Ask; the answer stops after twenty words."""
    question = stage.a_question()
    stage.model.hold_at(20)
    await tab.ask(question)
    await tab.is_half_there()
    return question


async def ends_with(tab: ChatTab, question: str) -> None:
    """The last answer is the right one, on the page as in the history."""
    await tab.shows(answer_to(question))
    told = tab.told()[-1]
    assert (told["message"], told["status"], told["answer"]) == (question, "done", answer_to(question))
