"""What operators do, on the real thing: processes of the command line, on one file and on three servers."""

import re
from uuid import uuid4

import pytest
from playwright.async_api import APIRequestContext, Locator, expect

from tests.browser.dashboard.gate import Gate
from tests.browser.dashboard.premises import Premises
from tests.browser.dashboard.site import Watched
from tests.browser.marks import IN_CHROMIUM

pytestmark = [*IN_CHROMIUM, pytest.mark.timeout(300)]

#: Milliseconds that anything may take on a busy machine.
PATIENCE = 40_000
expect.set_options(timeout=PATIENCE)


def named(what: str) -> str:
    """A name that no other story has."""
    return f"{what}{uuid4().hex[:8]}"


async def confirmed(tab: Watched, button: Locator, words: str) -> None:
    """Press a button, and say yes; the toast that tells what was done has these words."""
    await button.click()
    await tab.page.locator("#confirm [data-yes]").click()
    await expect(tab.page.locator(".toast").filter(has_text=words)).to_be_visible()


async def test_a_job_is_followed_while_it_writes(tab: Watched, kiosk: Premises, gate: Gate) -> None:
    page, title = tab.page, named("Heidi")
    await page.goto(f"{kiosk.site}/tasks/tell")
    await page.get_by_label("title").fill(title)
    await page.get_by_role("button", name="Start and watch").click()
    job = await gate.next(title)
    written = page.locator("[data-watch]")
    await expect(page.locator("[data-watch-state]")).to_have_text("live")
    await expect(page.locator("#glance .badge").first).to_have_text("running")
    await job.hear("Once")
    await expect(written).to_have_text("Once")
    await job.hear("upon a time")
    await expect(written).to_have_text("Once upon a time")
    await expect(page.locator("#timeline")).to_contain_text("telling")
    await job.hear("<b>there was a goat</b>")
    job.let_go()
    await expect(written).to_have_text("Once upon a time <b>there was a goat</b>")
    await expect(page.locator("[data-watch-state]")).to_have_text("all of it")
    await expect(page.locator("#glance .badge").first).to_have_text("done")
    await expect(page.locator("pre[aria-label=Result]")).to_contain_text(f"The end of {title}")


async def test_a_dead_letter_is_edited_and_replayed(tab: Watched, kiosk: Premises, asked: APIRequestContext) -> None:
    page, customer = tab.page, named("Bob")
    await kiosk.submit(asked, "charge", customer=customer, amount=3, password="hidden")
    await page.goto(f"{kiosk.site}/dead?task=charge")
    await page.get_by_role("link", name="LookupError").first.click()
    row = page.locator("#rows tbody tr").filter(has_text=customer)
    await row.locator("a.id").first.click()
    await expect(page.locator(".told-error")).to_contain_text(f"no customer is called {customer}")
    arguments = page.locator("textarea[name=arguments]")
    await expect(arguments).to_have_value(re.compile(r'"password": "\*\*\*"'))
    edited = (await arguments.input_value()).replace(customer, f"Ada{customer}")
    await arguments.fill(edited.replace('"amount": 3', '"amount": "much"'))
    await page.get_by_role("button", name="Replay").click()
    await expect(page.locator("#wrong")).to_contain_text("amount")
    # A browser writes down an answer of 422 as an error of the network.
    tab.wrong[:] = [word for word in tab.wrong if "422" not in word]
    await page.locator("textarea[name=arguments]").fill(edited)
    await page.get_by_role("button", name="Replay").click()
    await expect(page.locator("#back")).to_have_text("It is back at work")
    await page.locator("section[aria-labelledby=back] code").click()
    await expect(page.locator("pre[aria-label=Result]")).to_contain_text(f"3 from Ada{customer}, 6 letters")


async def test_dead_letters_are_replayed_by_share(tab: Watched, kiosk: Premises, asked: APIRequestContext) -> None:
    page, customer = tab.page, named("Eve")
    # Differs in nothing but numbers from its likes, which makes a group of its own.
    for amount in range(10):
        await kiosk.submit(asked, "charge", "send", customer=f"Mr {customer}", amount=amount)
    await page.goto(f"{kiosk.site}/dead?error={customer}")
    await expect(page.locator("#rows td[data-label=Letters]")).to_have_text("10")
    await page.get_by_label("Percentage of letters").fill("20")
    await page.get_by_role("button", name="Replay…").click()
    await expect(page.locator("#impact")).to_contain_text("2 of 10 dead letters would be put back to work")
    await page.get_by_role("button", name="Replay 2").click()
    await expect(page.locator("#impact")).to_contain_text("2 dead letters were put back to work")
    await page.goto(f"{kiosk.site}/dead?error={customer}")
    await expect(page.locator("#rows td[data-label=Letters]")).to_have_text("10")
    await page.get_by_text("All of them").click()
    await page.get_by_role("button", name="Discard…").click()
    await page.get_by_role("button", name="Discard 10").click()
    await expect(page.locator("#impact")).to_contain_text("10 dead letters were deleted")
    await expect(page.locator("#rows")).to_contain_text("No dead letter found")


async def test_a_held_lane_is_retried(tab: Watched, kiosk: Premises, asked: APIRequestContext) -> None:
    page, post = tab.page, named("post")
    lock = kiosk.folder / f"locked-{post}"
    lock.touch()
    for text in ("first", "second"):
        await kiosk.submit(asked, "comment", "send", post=post, text=text)
    await page.goto(f"{kiosk.site}/lanes?text={post}")
    row = page.locator("#rows tbody tr")
    await expect(row.locator("td[data-label=State]")).to_have_text("held")
    await expect(row).to_contain_text(f"post {post} is locked")
    await row.locator("a.name").click()
    await expect(page.locator("tbody tr")).to_have_count(2)
    lock.unlink()
    await confirmed(tab, page.get_by_role("button", name="Retry"), "is tried again now")
    await expect(page.locator("#glance")).to_contain_text("This lane is empty now")
    assert (kiosk.folder / f"post-{post}").read_text() == "first\nsecond\n"


async def test_a_lane_is_taken_from_a_worker_that_hangs(
    tab: Watched, kiosk: Premises, gate: Gate, asked: APIRequestContext
) -> None:
    page, post = tab.page, named("post")
    await kiosk.submit(asked, "like", "send", post=post)
    hanging = await gate.next(f"like {post}")
    await page.goto(f"{kiosk.site}/lanes?text={post}")
    await expect(page.locator("#rows td[data-label=State]")).to_have_text("running")
    await confirmed(tab, page.get_by_role("button", name="Unblock"), "was taken from its worker")
    again = await gate.next(f"like {post}")
    again.let_go()
    await expect(page.locator("#rows")).to_contain_text("No lane found")
    hanging.let_go()


async def test_a_schedule_is_fired_by_hand(tab: Watched, kiosk: Premises) -> None:
    page = tab.page
    await page.goto(f"{kiosk.site}/schedules/stocktaking")
    before = await page.locator("#glance tbody tr").count()
    await confirmed(tab, page.get_by_role("button", name="Fire now"), "stocktaking")
    await expect(page.locator("#glance tbody tr")).to_have_count(before + 1)
    first = page.locator("#glance tbody tr").first
    await expect(first.locator("td[data-label=State]")).to_have_text("done")
    await expect(first).to_contain_text("by hand")
    await page.goto(f"{kiosk.site}/schedules")
    await expect(page.locator("#schedule-stocktaking td[data-label=Last]")).to_contain_text("done")


async def test_a_queue_is_paused_and_resumed(tab: Watched, kiosk: Premises, asked: APIRequestContext) -> None:
    page = tab.page
    await page.goto(f"{kiosk.site}/queues?text=mail")
    row = page.locator("#queue-mail")
    await confirmed(tab, row.get_by_role("button", name="Pause"), "paused")
    await expect(row.locator("td[data-label=State]")).to_have_text("paused")
    if kiosk.on_servers:
        # There workers hear of it within a second; in one file it counts at once.
        await expect(row.locator("td[data-label=Workers]")).to_have_text("0")
    job = await kiosk.submit(asked, "send_mail", to="ada@example.org")
    await expect(row.locator("td[data-label=Waiting]")).to_have_text("1")
    await row.get_by_role("button", name="Resume").click()
    await expect(row.locator("td[data-label=Waiting]")).to_have_text("0")
    await page.goto(f"{kiosk.site}/jobs/{job}")
    await expect(page.locator("#glance .badge").first).to_have_text("done")
    await page.goto(f"{kiosk.site}/audit?text=mail")
    await expect(page.locator("tbody tr").filter(has_text="queue.pause")).to_have_count(1)
    await expect(page.locator("tbody tr").filter(has_text="queue.resume")).to_have_count(1)


async def test_a_run_is_drawn_while_it_goes_on(
    tab: Watched, kiosk: Premises, gate: Gate, asked: APIRequestContext
) -> None:
    page, dishes = tab.page, [named("soup"), named("cake")]
    run = await kiosk.submit(asked, "dinner", input=dishes)
    soup, cake = [await gate.next(dish) for dish in dishes]
    await page.goto(f"{kiosk.site}/runs/{run}")
    steps = {name: page.locator(f"#step-{name}") for name in ("shop", "cook", "lay_the_table", "eat")}
    await expect(page.locator(".dag-line")).to_have_count(3)
    await expect(steps["lay_the_table"]).to_have_class(re.compile("tone-good"))
    await expect(steps["cook"]).to_contain_text("running · 0 of 2")
    await expect(steps["eat"]).not_to_have_class(re.compile("tone-good"))
    soup.let_go()
    await expect(steps["cook"]).to_contain_text("running · 1 of 2")
    await steps["cook"].click()
    await expect(page.locator("section[aria-labelledby=step]")).to_contain_text("1 of 2 done")
    cake.let_go()
    await expect(steps["eat"]).to_have_class(re.compile("tone-good"))
    await expect(page.locator("#glance .badge").first).to_have_text("done")


async def test_jobs_are_found_by_argument_and_by_error(tab: Watched, kiosk: Premises, asked: APIRequestContext) -> None:
    page, customer, other = tab.page, named("Zoe"), named("Ada")
    failed = await kiosk.submit(asked, "charge", customer=customer)
    done = await kiosk.submit(asked, "charge", customer=other)
    await page.goto(f"{kiosk.site}/jobs/{failed}")
    await expect(page.locator("#glance .badge").first).to_have_text("failed")
    await page.goto(f"{kiosk.site}/")
    await page.keyboard.press("/")
    await page.keyboard.type(customer)
    await page.keyboard.press("Enter")
    rows = page.locator("#rows tbody tr")
    await expect(rows).to_have_count(1)
    await expect(rows).to_have_attribute("id", f"job-{failed}")
    await expect(rows.locator("td[data-label=State]")).to_have_text("failed")
    await page.locator("main [data-find]").fill(f"LookupError {customer}")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("LookupError"))
    await expect(rows).to_have_count(1)
    await page.locator("main [data-find]").fill(other[:7])
    await page.keyboard.press("Enter")
    await expect(rows).to_have_attribute("id", f"job-{done}")
    await page.get_by_role("link", name="Failed").click()
    await expect(page.locator("#rows")).to_contain_text("No job found")
