"""The dashboard as an ASGI app: who comes in, and to which page."""

import asyncio
import logging
from collections.abc import MutableMapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from goatherd.app import Goatherd
from goatherd.errors import GoatherdError, Unavailable
from goatherd.web.asgi import Receive, Scope, Send
from goatherd.web.control import csrf
from goatherd.web.control.asked import Asked
from goatherd.web.control.bodies import BadText, Gone, read_body, replay
from goatherd.web.control.doors import Doors
from goatherd.web.control.headers import guarded
from goatherd.web.control.visitor import NotAllowed
from goatherd.web.dashboard import signing_in
from goatherd.web.dashboard.asking import ASKED, DASHBOARD, VISITOR
from goatherd.web.dashboard.assets import PREFIX, asset
from goatherd.web.dashboard.failures import answer_to
from goatherd.web.dashboard.job_streams import JobStreams
from goatherd.web.dashboard.opened import Opened
from goatherd.web.dashboard.pages.registered import PAGES
from goatherd.web.lifespan import live

#: Bytes of a request beyond the arguments of a job.
MORE = 64 * 1024
#: Seconds within which an answer to who only looks has begun; each action has a deadline of its own.
PATIENCE = 10.0

log = logging.getLogger("goatherd.dashboard")

#: What is said where it starts while a store is away.
AWAY = "The dashboard has begun, but cannot show anything yet"


class Dashboard:
    """Made by `dashboard()`; may be mounted anywhere, for all its addresses begin where it is mounted."""

    def __init__(self, app: Goatherd, *, open_to_all: bool = False) -> None:
        self.app = app
        self.doors = Doors(app, open_to_all=open_to_all)
        self.opened = Opened(app)
        self.streams = JobStreams(app)
        self.pages = PAGES
        # Our own page tells of the API, and loads nothing from elsewhere.
        self.web = FastAPI(title=app.name, docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
        self.web.include_router(signing_in.router)
        for page in PAGES:
            self.web.include_router(page.router)
        for kind in (GoatherdError, HTTPException, RequestValidationError, Exception):
            self.web.add_exception_handler(kind, answer_to)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        match scope["type"]:
            case "http":
                await self._serve(dict(scope), receive, guarded(send))
            case "lifespan":
                await live(
                    receive, send, self.open, self.close, (log, "The dashboard has begun, but cannot show anything yet")
                )
            case _:
                await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = Asked(scope, self.doors.proxies)
        if asked.path.startswith(PREFIX):
            await asset(asked).send([], receive, send)
            return
        scope[ASKED], scope[DASHBOARD] = asked, self
        try:
            receive = await self._let_in(scope, asked, receive)
        except Gone:
            return
        except GoatherdError as error:
            await (await answer_to(Request(scope), error))(scope, receive, send)
            return
        await self._answer(scope, receive, send)

    async def _let_in(self, scope: Scope, asked: Asked, receive: Receive) -> Receive:
        """See who it is, and that the wish is theirs; raises NotSignedIn, NotAllowed, BadText, TooLarge or Gone."""
        if asked.method == "POST" and asked.path == signing_in.PATH:
            return replay(await read_body(receive, MORE), receive)
        visitor = scope[VISITOR] = self.doors.visitor(asked)
        if asked.has_nul:
            raise BadText
        if asked.method in csrf.SAFE:
            return receive
        body = await read_body(receive, self.app.settings.payload_limit + MORE)
        csrf.check(asked, visitor, body)
        # Whoever adds a page cannot forget this.
        if not visitor.may_act and asked.path != signing_in.LEAVE:
            raise NotAllowed(f"{visitor.name} may look, but not act; nothing was done. Ask an operator.")
        return replay(body, receive)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False
        asked: Asked = scope[ASKED]
        cutting = asyncio.timeout(PATIENCE if asked.method in csrf.SAFE else None)

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if not begun and not cutting.expired():
                # A stream may last.
                cutting.reschedule(None)
            begun = True
            await send(message)

        try:
            async with cutting:
                await self._site(asked)(scope, receive, sending)
        except Exception:
            if cutting.expired() and not begun:
                told = f"The stores of app {self.app.name!r} did not answer within {PATIENCE:g} s."
                await (await answer_to(Request(scope), Unavailable(told)))(scope, receive, send)
            elif not begun:
                raise
            # Else it has been told in the log, and to who asked, unless the answer had begun.

    def _site(self, asked: Asked) -> FastAPI:
        """The pages, or the API, which is imported when it is first asked for."""
        if not asked.path.startswith("/api/"):
            return self.web
        from goatherd.web.api.registered import api

        return api()

    async def open(self) -> None:
        """See that all is there; raises SettingsError, MissingExtra or Unavailable."""
        await self.opened.app()

    async def drain(self) -> None:
        """Send those away who watch a job: they would keep the server from stopping."""
        await self.streams.drain()

    async def close(self) -> None:
        """Let go of everything that was opened on this loop."""
        await self.streams.close()
        await self.opened.close()
