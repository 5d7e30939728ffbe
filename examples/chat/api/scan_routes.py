"""Add a text to the documents; watched at the legacy route of the gateway."""

from fastapi import APIRouter

from examples.chat.api.bodies import Accepted, Text
from examples.chat.herd import settings
from examples.chat.scan import read

routes = APIRouter(prefix="/api/v1/scan")


@routes.post("", status_code=202)
async def add(added: Text) -> Accepted:
    """Accept a text; it is found as soon as its job is done."""
    run = await read.start(name=added.name, text=added.text)
    return Accepted(
        job_id=run.id,
        stream_url=f"{settings.gateway_url or ''}/api/v1/stream?job_id={run.id}",
        stream_token=run.stream_token(added.name),
    )
