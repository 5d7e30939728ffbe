"""The web application of comments-api."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from examples.comments.api import page, routes
from examples.comments.api.errors import tell_errors
from examples.comments.api.live import Live
from examples.comments.herd import comments, database


@asynccontextmanager
async def lifespan(web: FastAPI) -> AsyncIterator[None]:
    """Open the database, and the way into the lanes; workers are programs of their own."""
    await database.open()
    web.state.live = live = Live(database)
    async with comments, live.looking():
        yield
    await database.close()


web = FastAPI(title="comments-api", lifespan=lifespan)
tell_errors(web)
web.include_router(routes.routes)


@web.get("/healthz")
async def health() -> Response:
    """Whether comments can be accepted."""
    told = await comments.health()
    return JSONResponse({"ready": told.ready, "reasons": list(told.reasons)}, 200 if told.ready else 503)


@web.get("/metrics")
async def metrics() -> Response:
    """What this program has counted."""
    return PlainTextResponse(comments.metrics())


web.mount("/", page.Page())
