"""The page."""

from pathlib import Path
from typing import Any

from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles

PAGE = Path(__file__).parents[1] / "page"
#: The page may run and show its own files only, and speak to nobody but this program; no text can become markup in it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class Page(StaticFiles):
    """Its files, looked for anew at each visit, so that none is older than the others."""

    def __init__(self) -> None:
        super().__init__(directory=PAGE, html=True)

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        """A file of it."""
        response = super().file_response(*arguments, **named)
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
