"""The web application of dubbing-api."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from examples.dubbing.api import routes
from examples.dubbing.api.errors import tell_errors
from examples.dubbing.herd import database, dubbing


@asynccontextmanager
async def lifespan(_web: FastAPI) -> AsyncIterator[None]:
    """Open the database, and the way to begin runs; workers are programs of their own."""
    await database.open()
    async with dubbing:
        yield
    await database.close()


web = FastAPI(title="dubbing-api", lifespan=lifespan)
tell_errors(web)
web.include_router(routes.routes)


@web.get("/healthz")
async def health() -> Response:
    """Whether videos can be accepted."""
    told = await dubbing.health()
    return JSONResponse({"ready": told.ready, "reasons": list(told.reasons)}, 200 if told.ready else 503)


@web.get("/metrics")
async def metrics() -> Response:
    """What this program has counted."""
    return PlainTextResponse(dubbing.metrics())
