"""Streams to browsers: how many are connected, to which gateways, and what they get."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from goatherd.desk.streams import streams as look
from goatherd.web.dashboard.asking import App
from goatherd.web.dashboard.charts import bars, nice_top
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import render

WIDTH, HEIGHT = 720, 150

router = APIRouter()
PAGE = Page(title="Streams", path="/streams", key="t", icon="streams", router=router, group="System")


@router.get("/streams")
async def streams(request: Request, app: App) -> HTMLResponse:
    """Those of the app, over all gateways."""
    facts = await look(app)
    # The last span has just begun, and would look like a fall.
    rates = [point.events / point.seconds for point in facts.series[:-1]]
    top = nice_top(rates)
    return render(
        request, "streams.html", facts=facts, bars=bars(rates, WIDTH, HEIGHT, top), top=top, width=WIDTH, height=HEIGHT
    )  # fmt: skip
