"""How the app does, at a glance."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from goatherd.app import Goatherd
from goatherd.desk.overview import overview as look
from goatherd.desk.queues import QueueFacts, queues
from goatherd.desk.throughput import rates_by_queue
from goatherd.web.dashboard.asking import App
from goatherd.web.dashboard.attention import attention
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import render
from goatherd.web.dashboard.throughput_chart import chart_of

#: Queues that are shown; the page of queues shows all.
MOST_QUEUES = 6

router = APIRouter()
PAGE = Page(title="Overview", path="/", key="o", icon="overview", router=router)


@router.get("/")
async def overview(request: Request, app: App) -> HTMLResponse:
    """Rates, what waits, and what needs somebody."""
    facts = await look(app)
    needs, chart = attention(facts, app.settings.alert_lag), chart_of(facts.throughput, facts.at)
    # Asked for only after the overview has seen, a moment ago, that those answer who tell it.
    busiest = await _busiest(app) if facts.queues else []
    by_queue = await rates_by_queue(app) if facts.rates is not None else {}
    return render(
        request,
        "overview.html",
        facts=facts,
        attention=needs,
        chart=chart,
        busiest=busiest,
        rates_by_queue=by_queue,
    )


async def _busiest(app: Goatherd) -> list[QueueFacts]:
    found = sorted(await queues(app), key=lambda queue: (-queue.ready, -(queue.running or 0), queue.name))
    return found[:MOST_QUEUES]
