"""All routes of the API, as the dashboard serves them."""

from functools import cache

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from goatherd.errors import GoatherdError
from goatherd.web.api import docs
from goatherd.web.api.asking import check_text
from goatherd.web.api.problems import ALWAYS
from goatherd.web.api.sections import PREFIX, SECTIONS
from goatherd.web.dashboard.failures import answer_to


def _named(route: APIRoute) -> str:
    return route.name


@cache
def api() -> FastAPI:
    """The one for all dashboards of this process: requests tell of which they are, and it takes long to make."""
    made = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    made.include_router(docs.router, prefix=PREFIX)
    for section in SECTIONS:
        for router in section.routers:
            made.include_router(
                router,
                prefix=PREFIX,
                tags=[section.name],
                responses=ALWAYS,
                dependencies=[Depends(check_text)],
                generate_unique_id_function=_named,
            )
    for kind in (GoatherdError, HTTPException, RequestValidationError, Exception):
        made.add_exception_handler(kind, answer_to)
    return made


def routers() -> list[APIRouter]:
    """All that have something in them."""
    return [docs.router, *(router for section in SECTIONS for router in section.routers)]
