"""The description of the API, for programs and for people."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse

from goatherd.web.api.description import described
from goatherd.web.api.docs_facts import shapes_of, subjects_of
from goatherd.web.dashboard.asking import App, asked_of
from goatherd.web.dashboard.rendering import render

router = APIRouter(include_in_schema=False)


@router.get("/openapi.json")
async def openapi(request: Request, app: App) -> JSONResponse:
    """As OpenAPI 3.1."""
    return JSONResponse(await described(request))


@router.get("/docs")
async def docs(request: Request, app: App) -> HTMLResponse:
    """As a page, made here: it loads nothing from elsewhere."""
    told, asked = await described(request), asked_of(request)
    site = f"{asked.scheme}://{asked.host}{asked.root}"
    return render(
        request, "api.html", subjects=subjects_of(told, site), shapes=shapes_of(told), about=told["info"]["description"]
    )
