"""Dead letters: groups, one of them, and what is done to many at once."""

import re

import pytest

from goatherd.desk import letters
from tests.faults.watching import until
from tests.unit.desk.shop import Shop
from tests.unit.web.dashboard.callers import Caller
from tests.unit.web.dashboard.work.looks import actions, links, shows


@pytest.fixture
async def buried(at_work: Shop, browser: Caller) -> Shop:
    """The shop with five dead letters of one error, and one of another."""
    for customer in range(5):
        await at_work.refuse.send(customer, password="hush")
    at_work.broken.add("comment")
    await at_work.mail.options(deadline=0.001, delay=0.05).send("ada")
    await shows(browser, "/dead", "6 letters in 2 groups")
    return at_work


async def one_group(browser: Caller) -> str:
    return links(await shows(browser, "/dead?task=refuse", "LookupError"), "/dead/groups/")[0]


async def one_letter(browser: Caller) -> str:
    group = await one_group(browser)
    return links((await browser.get(group)).text, "/dead/")[0]


async def count(shop: Shop) -> int:
    return (await letters.letter_groups(shop.app)).count


def hidden_fields(part: str) -> dict[str, str]:
    """What the form of an impact would send."""
    found = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', part)
    return {name: value.replace("&#43;", "+") for name, value in found if name != "csrf"}


async def test_groups_tell_what_died_of_what_and_are_narrowed_down(buried: Shop, browser: Caller) -> None:
    for query, has in {"task=refuse": True, "queue=mail": True, "error=customer": True, "error=nothing": False}.items():
        assert ("LookupError" in (await browser.get(f"/dead?{query}")).text) == has, query
    page = (await browser.get(await one_group(browser))).text
    assert len(links(page, "/dead/")) == 5
    assert "no customer" in page
    assert "hush" not in page
    assert "Nothing is dead of this any more" in (await browser.get("/dead/groups/0000")).text


async def test_impact_is_told_first_and_then_only_what_was_seen_is_done(buried: Shop, browser: Caller) -> None:
    group = (await one_group(browser)).rpartition("/")[2]
    asked = f"/dead/impact?part=impact&doing=replay&group={group}&share=percent&percent=40"
    told = (await browser.get_part(asked)).text
    assert "<b>2 of 5</b> dead letters would be put back to work" in told
    assert await count(buried) == 6, "nothing was done yet"
    buried.broken.add("refuse")
    answer = await browser.act("/dead/replay?part=impact", hidden_fields(told), hx_request="true")
    assert "2 dead letters were put back to work." in answer.text
    assert "changed" in answer.headers["hx-trigger"]
    assert await count(buried) == 4
    # The oldest were meant, and they kept their secrets.
    await until(lambda: len(buried.served) == 2, "both to be done")
    assert sorted(buried.served) == [(0, "hush"), (1, "hush")]
    assert (await actions(buried.app))[0] == f"letter.replay group {group} done"


async def test_all_or_some_are_discarded(buried: Shop, browser: Caller) -> None:
    told = (await browser.get_part("/dead/impact?part=impact&doing=discard&share=count&count=1&task=refuse")).text
    assert "<b>1 of 5</b> dead letters would be deleted for good" in told
    await browser.act("/dead/discard?part=impact", hidden_fields(told), hx_request="true")
    assert await count(buried) == 5
    told = (await browser.get_part("/dead/impact?part=impact&doing=discard&share=all")).text
    await browser.act("/dead/discard", hidden_fields(told))
    assert await count(buried) == 0
    assert "Nothing is dead" in (await browser.get("/dead")).text


async def test_mistakes_about_how_many_are_told_in_place(buried: Shop, browser: Caller) -> None:
    for query, words in {
        "share=count&count=many": "is no number",
        "share=count&count=0": "give 1 or more",
        "share=percent&percent=101": "give 1 to 100",
        "share=some": "Say how many are meant",
    }.items():
        answer = await browser.get_part(f"/dead/impact?part=impact&{query}")
        assert (answer.status_code, words in answer.text) == (200, True), query
    assert (await browser.act("/dead/discard", {"share": "count", "count": "x"})).status_code == 422
    assert (await browser.act("/dead/discard", {"seen": "yesterday"})).status_code == 422
    assert await count(buried) == 6


async def test_one_letter_is_edited_and_replayed_with_its_secrets(buried: Shop, browser: Caller) -> None:
    buried.broken.add("refuse")
    path = await one_letter(browser)
    page = (await browser.get(path)).text
    assert "raise LookupError" in page
    assert "hush" not in page
    edited = {"arguments": '{"customer": 99, "password": "***"}'}
    answer = await browser.act(f"{path}/replay?part=letter", edited, hx_request="true")
    assert (answer.status_code, "It is back at work" in answer.text) == (200, True)
    assert links(answer.text, "/jobs/")
    assert (await browser.get(path)).status_code == 404
    await shows(browser, "/dead", "5 letters")
    await until(lambda: bool(buried.served), "the job to be done")
    assert buried.served == [(99, "hush")]


async def test_mistakes_in_the_arguments_are_told_in_the_form(buried: Shop, browser: Caller) -> None:
    path = await one_letter(browser)
    for written, words in {
        '{"customer": }': "line 1, column 14",
        "[1]": "as an object with customer, password",
        '{"customer": "x"}': "<code>customer</code>",
        '{"customer": 1, "colour": 2}': "<code>colour</code>",
        "[" * 100_000: "This is no JSON",
    }.items():
        answer = await browser.act(f"{path}/replay?part=letter", {"arguments": written}, hx_request="true")
        assert (answer.status_code, words in answer.text) == (422, True), answer.text
        assert written[:200].replace('"', "&#34;") in answer.text, "what was written is not lost"
    assert await count(buried) == 6


async def test_one_letter_is_discarded(buried: Shop, browser: Caller) -> None:
    path = await one_letter(browser)
    answer = await browser.act(f"{path}/discard", hx_request="true")
    assert answer.headers["hx-redirect"].startswith("/dead/groups/")
    assert await count(buried) == 5
    assert (await browser.act(f"{path}/discard", hx_request="true")).status_code == 404


async def test_viewers_see_no_buttons_and_may_not_act(buried: Shop, browser: Caller, viewer: Caller) -> None:
    path = await one_letter(browser)
    for page in ("/dead", await one_group(browser), path):
        text = (await viewer.get(page)).text
        assert 'method="post" action="/dead' not in text
        assert "Discard" not in text
    for deed in ("/dead/replay", "/dead/discard", f"{path}/replay", f"{path}/discard"):
        assert (await viewer.post(deed, {"share": "all"})).status_code == 403
    assert await count(buried) == 6


async def test_arguments_that_no_queue_could_carry_are_told_in_the_form(buried: Shop, browser: Caller) -> None:
    path = await one_letter(browser)
    for written in (
        '{"customer": 1e400, "password": ""}',
        '{"customer": NaN, "password": ""}',
        r'{"customer": 1, "password": "\ud800"}',
        f'{{"customer": 1, "password": {"[" * 600}{"]" * 600}}}',
    ):
        answer = await browser.act(f"{path}/replay?part=letter", {"arguments": written}, hx_request="true")
        assert (answer.status_code, 'role="alert"' in answer.text) == (422, True), (written[:60], answer.text[:300])
    assert await count(buried) == 6
    # What comes from another program is not checked by a task of ours.
    buried.app.tasks.pop("refuse")  # type: ignore[attr-defined]
    for written in (r'{"customer": 1, "password": "\ud800"}', '{"customer": NaN}'):
        answer = await browser.act(f"{path}/replay?part=letter", {"arguments": written}, hx_request="true")
        assert answer.status_code == 422, answer.text[:300]
    assert await count(buried) == 6
