"""The page, and what it asks for besides the chat."""

from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import Scope

from examples.chat.api.bodies import About
from examples.chat.herd import settings

PAGE = Path(__file__).parents[1] / "page"
NO_PAGE = "There is no page here: examples/chat/page/index.html is missing. The API answers nevertheless; see /docs."
GATEWAY = "" if settings.gateway_url is None else "{0.scheme}://{0.netloc}".format(urlsplit(settings.gateway_url))
#: The page may run and show its own files only, and speak to nobody but this program and the gateway; no text can
#: become markup in it.
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    f"connect-src 'self' {GATEWAY}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    f"require-trusted-types-for 'script'; trusted-types 'none'"
)

routes = APIRouter(prefix="/api/v1")


@routes.get("/about")
async def about() -> About:
    """Who answers here."""
    return About(provider=settings.provider, model=None if settings.provider == "offline" else settings.model)


@routes.get("/goatherd.js")
async def client() -> Response:
    """What a page follows jobs with."""
    return FileResponse(str(files("goatherd.web") / "static" / "goatherd.js"), media_type="text/javascript")


class Page(StaticFiles):
    """Its files, looked for anew at each visit, so that none is older than the others."""

    def __init__(self) -> None:
        super().__init__(directory=PAGE, html=True)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """What is at a path; raises HTTPException."""
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            if path == "." and error.status_code == 404:
                raise HTTPException(404, NO_PAGE) from error
            raise

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        """A file of it."""
        response = super().file_response(*arguments, **named)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
