"""The description of the API, for programs and for people."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from goatherd.web.api.description import described

router = APIRouter(include_in_schema=False)


@router.get("/openapi.json")
async def openapi(request: Request) -> JSONResponse:
    """As OpenAPI 3.1."""
    return JSONResponse(described(request))
