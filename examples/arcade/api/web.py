"""The web application of arcade-api."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from examples.arcade.api import routes
from examples.arcade.api.page import page
from examples.arcade.batch.service import arcade
from examples.arcade.herd import database
from examples.running.database.database import DatabaseAway
from goatherd import Unavailable


@asynccontextmanager
async def lifespan(_web: FastAPI) -> AsyncIterator[None]:
    """Open the database, and the way into the queues; the batch side has programs of its own."""
    await database.open()
    async with arcade:
        yield
    await database.close()


web = FastAPI(title="arcade-api", lifespan=lifespan)
web.include_router(routes.routes)


@web.exception_handler(Unavailable)
@web.exception_handler(DatabaseAway)
async def away(_request: Request, error: Exception) -> Response:
    """Not accepted; all ids are the sender's own, so that it can be sent again."""
    return JSONResponse({"error": f"Not accepted, try again: {error}"}, 503, {"Retry-After": "1"})


@web.get("/")
async def show() -> Response:
    """How everything stands."""
    return HTMLResponse(await page(database))


@web.get("/healthz")
async def health() -> Response:
    """Whether anything can be accepted."""
    told = await arcade.health()
    return JSONResponse({"ready": told.ready, "reasons": list(told.reasons)}, 200 if told.ready else 503)


@web.get("/metrics")
async def metrics() -> Response:
    """What this program has counted."""
    return PlainTextResponse(arcade.metrics())
