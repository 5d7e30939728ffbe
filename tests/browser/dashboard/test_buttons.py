"""What a person does with a button: asked first, done once, told, and seen at once."""

from pathlib import Path

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from playwright.async_api import Browser, BrowserContext, expect

from goatherd.desk.errors import NotNow
from goatherd.web.control.acting import act
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.asking import App, Form, Who
from goatherd.web.dashboard.environment import environment
from goatherd.web.dashboard.rendering import done, render
from tests.browser.dashboard.site import served, signed_in
from tests.browser.marks import IN_CHROMIUM

pytestmark = IN_CHROMIUM

PAGE = """{% extends "layout.html" %}{% block title %}Probe{% endblock %}{% block content %}
{% block rows %}
<section id="rows" {{ ui.live("rows", every=600) }}><b id="count">{{ count }}</b></section>
{% endblock %}
{{ ui.action("/probe/add", "Add", confirm="Add <b>two</b>?", fields={"much": "2"}) }}
{{ ui.action("/probe/refuse", "Refuse") }}
{% endblock %}"""


def with_buttons(made: Dashboard) -> None:
    """A number on a page, which a button makes larger."""
    count = 0

    async def page(request: Request) -> HTMLResponse:
        return render(request, environment().from_string(PAGE), count=count)  # type: ignore[arg-type]

    async def add(request: Request, app: App, who: Who, form: Form) -> Response:
        async def doing() -> None:
            nonlocal count
            count += int(form["much"])

        await act(who, app, "probe.add", "count", doing)
        return done(request, f"Now it is <i>{count}</i>.", then="/probe")

    async def refuse(app: App, who: Who) -> None:
        async def doing() -> None:
            raise NotNow("Not while it is <i>raining</i>.")

        await act(who, app, "probe.refuse", "count", doing)

    made.web.get("/probe")(page)
    made.web.post("/probe/add")(add)
    made.web.post("/probe/refuse")(refuse)


async def test_a_button(context: BrowserContext, tmp_path: Path) -> None:
    async with served(tmp_path, "shop", with_buttons) as (_, site):
        tab = await signed_in(context, site)
        page = tab.page
        await page.goto(f"{site}/probe")
        await page.click("text=Add")
        await expect(page.locator("#confirm-words")).to_have_text("Add <b>two</b>?")
        await page.click("#confirm >> text=Cancel")
        await page.click("text=Add")
        await page.click("#confirm [data-yes]")
        await expect(page.locator(".toast")).to_have_text("Now it is <i>2</i>.")
        await expect(page.locator("#count")).to_have_text("2")
        await tab.is_well()
        await page.click("text=Refuse")
        await expect(page.locator(".toast.tone-bad")).to_have_text("Not while it is <i>raining</i>.")
        # A browser, and htmx with it, write down an answer of 409 as an error; nothing else may be wrong.
        assert [word for word in tab.wrong if "409" not in word] == []
        await page.goto(f"{site}/audit")
        told = ["failed: Not while it is <i>raining</i>.", "done"]
        for row, outcome in enumerate(told):
            cell = page.locator(f"tbody tr:nth-child({row + 1}) td[data-label=Outcome]")
            await expect(cell).to_contain_text(outcome.partition(": ")[2] or outcome)


async def test_without_scripts_a_button_still_works(browser: Browser, tmp_path: Path) -> None:
    async with (
        served(tmp_path, "shop", with_buttons) as (_, site),
        await browser.new_context(java_script_enabled=False) as context,
    ):
        page = (await signed_in(context, site)).page
        await page.goto(f"{site}/probe")
        await page.click("text=Add")
        await expect(page.locator("#count")).to_have_text("2")
