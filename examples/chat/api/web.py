"""The web application of chat-api."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from examples.chat.api import chat_routes, page, scan_routes
from examples.chat.api.answers import settling
from examples.chat.api.errors import tell_errors
from examples.chat.api.history import History
from examples.chat.herd import chat, scan, settings


@asynccontextmanager
async def lifespan(web: FastAPI) -> AsyncIterator[None]:
    """Open both domains; texts that users add are read here, while questions are for chat-worker."""
    web.state.history = history = History(settings.history)
    await history.open()
    async with chat, scan.serve("worker", "router"), settling(history):
        yield
    await history.close()


web = FastAPI(title="chat-api", lifespan=lifespan)
tell_errors(web)
web.include_router(chat_routes.routes)
web.include_router(scan_routes.routes)
web.include_router(page.routes)


@web.get("/healthz")
async def health() -> Response:
    """Whether questions can be accepted."""
    told = await chat.health()
    return JSONResponse({"ready": told.ready, "reasons": list(told.reasons)}, 200 if told.ready else 503)


@web.get("/metrics")
async def metrics() -> Response:
    """What this program has counted."""
    return PlainTextResponse(chat.metrics())


if settings.gateway_url is None:
    from goatherd.web import gateway

    web.mount("/api/v1", gateway(chat, scan))

web.mount("/", page.Page())
