"""The AI service as a Goatherd app: requests come from a queue, answers go where each request says."""

import logging
import os
from collections.abc import AsyncIterator
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from examples.kitchen.ai.analyst import Analyst, fingerprint
from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.mischief import Mischief, read_plan
from examples.kitchen.ai.settings import read_settings
from goatherd import Goatherd

log = logging.getLogger("kitchen.ai")

settings = read_settings(os.environ)
app = Goatherd("kitchen-ai", broker_url=settings.broker_url)
requests = app.queue(settings.queue, format="plain", type="classic", ttl=300)
analyst = Analyst(settings)


class Analysis(Struct, frozen=True, kw_only=True):
    """The reply: a result, or why there is none."""

    success: bool
    result: dict[str, Any] | UnsetType = UNSET
    error: dict[str, Any] | UnsetType = UNSET


# The provider and the storage have deadlines of their own, which end before this one and tell the caller more.
@app.task(queue=requests, timeout=settings.timeout + settings.picture_timeout + 10)
async def analyse(user_input: str) -> Analysis:
    """Say what a recipe, or a picture of one, holds.

    A failure that the caller can understand is a reply like any other, so that nobody is left waiting; any other error
    is a fault of this program and fails the job.
    """
    asked = {"input_sha256": fingerprint(user_input)}
    try:
        return Analysis(success=True, result=asked | await analyst.analyse(user_input))
    except CannotAnalyse as failure:
        log.warning("Not analysed (%s): %s", failure.code, failure.message)
        return Analysis(success=False, error=asked | failure.as_json())


@app.lifespan
async def staff() -> AsyncIterator[None]:
    """Say what this process works with, and close its connections at the end."""
    log.info("Recipes are read by the provider %r.", settings.provider)
    if settings.mischief:
        log.warning("AI_MISCHIEF is on (%s): jobs wait, fail and kill this process on purpose.", settings.mischief)
    yield
    await analyst.close()


if settings.mischief:
    app.around(Mischief(read_plan(settings.mischief)).around)
