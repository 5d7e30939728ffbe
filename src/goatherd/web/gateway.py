"""The gateway: a plain ASGI app that serves the events of jobs, to be mounted anywhere or run by itself."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from weakref import WeakKeyDictionary

from goatherd.app import Goatherd
from goatherd.engine.probes import Question
from goatherd.errors import DefinitionError, GoatherdError
from goatherd.model.gateway_readings import GatewayReadings
from goatherd.web.access import Access
from goatherd.web.asgi import Headers, Receive, Request, Scope, Send, line_in
from goatherd.web.cors import Cors
from goatherd.web.lifespan import live
from goatherd.web.metrics import GatewayMetrics
from goatherd.web.place import Answer, Place, Visit
from goatherd.web.responses import Refusal, Response
from goatherd.web.script import script
from goatherd.web.stream import Stream
from goatherd.wiring import observe_gateway_metrics, wants_opentelemetry_metrics

log = logging.getLogger("goatherd.gateway")

#: What is said where it starts while a store is away.
AWAY = "The gateway has begun, but cannot serve yet"


def gateway(*apps: Goatherd, cors: Sequence[str] = ()) -> "Gateway":
    """Serve the live streams of one or several apps; each app's name is its service in the route.

    `cors` are the origins, such as `https://shop.example`, whose pages may read the streams besides our own.
    """
    return Gateway(apps, cors=cors)


class Gateway:
    """An ASGI app with `/{app}/{job_id}/events`, `/stream` and `/goatherd.js`."""

    def __init__(self, apps: Sequence[Goatherd], *, cors: Sequence[str] = (), open_to_all: bool = False) -> None:
        if not apps or len({app.name for app in apps}) < len(apps):
            raise DefinitionError("gateway() takes one app or several, each with a name of its own.")
        self._apps = tuple(apps)
        self.access = Access(apps, open_to_all=open_to_all)
        self._cors = Cors(cors)
        self.metrics = GatewayMetrics()
        #: One on each loop that serves: what is open belongs to the loop on which it was opened.
        self._places: WeakKeyDictionary[asyncio.AbstractEventLoop, Place] = WeakKeyDictionary()
        self._is_checked = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        match scope["type"]:
            case "http":
                began = asyncio.get_running_loop().time()
                answer, headers = await self._answer(Request(scope))
                if isinstance(answer, Stream):
                    answer.began, answer.line = began, line_in(scope)
                await answer.send(headers, receive, send)
            case "lifespan":
                await live(receive, send, self.open, self.close, (log, AWAY))
            case _:
                await send({"type": "websocket.close", "code": 1000})

    @property
    def place(self) -> Place:
        """What is open on this loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._places:
            self._places[loop] = Place(self._apps[0].settings, self.metrics)
        return self._places[loop]

    async def open(self) -> None:
        """See that all is there, and be seen; raises SettingsError, MissingExtra or Unavailable."""
        self._check()
        for app in self._apps:
            await self.place.showing.counts_of(app)
            await self.place.sources.of(app)

    def questions(self) -> Sequence[Question]:
        """Whether the events of each app can be read now; to ask raises what `open` does."""
        several = len(self._apps) > 1
        return [
            Question(
                port=f"events of {app.name}" if several else "events", about="events", ask=partial(self._look, app)
            )
            for app in self._apps
        ]

    async def drain(self, seconds: float | None = None) -> None:
        """Send all clients away, spread over some seconds, to other gateways; returns when they have left."""
        await self.place.crowd.drain(self._apps[0].settings.gateway_drain if seconds is None else seconds)

    async def close(self) -> None:
        """Let go of everything that was opened on this loop."""
        place = self._places.pop(asyncio.get_running_loop(), None)
        if place is not None:
            await place.close()

    def metrics_text(self) -> str:
        """What was counted, as Prometheus text."""
        self._count_jobs()
        return self.metrics.text()

    def readings(self) -> GatewayReadings:
        """The same for exporters, which ask on threads of their own."""
        self._count_jobs()
        return self.metrics.readings()

    def _count_jobs(self) -> None:
        # It changes while another thread looks, which sees it a moment later then.
        with suppress(RuntimeError):
            self.metrics.jobs = sum(place.sources.jobs for place in self._places.values())

    async def _look(self, app: Goatherd) -> None:
        self._check()
        await (await self.place.sources.of(app)).events.state("")

    async def _answer(self, request: Request) -> tuple[Answer, Headers]:
        """What to send, and the headers that it has because of who asks."""
        headers = self._cors.headers(request)
        try:
            if request.path == "/goatherd.js" and request.method in ("GET", "HEAD"):
                return script(request), []
            app, job_id = self._route(request)
            if request.method == "OPTIONS":
                return self._cors.preflight(request), headers
            self._check()
            chosen, token = self.access.app_of(request, app, job_id)
            visit = Visit(app=chosen, job_id=job_id, token=token, request=request)
            return await self.place.answer(visit), headers
        except Refusal as refusal:
            return refusal.response, headers
        except GoatherdError as error:
            return _trouble(error), headers

    def _route(self, request: Request) -> tuple[str | None, str]:
        """The app, if it is named, and the job; raises Refusal."""
        path = request.path
        if path == "/stream":
            app, job_id = request.query.get("service"), request.query.get("job_id", "")
            if not job_id:
                raise Refusal(400, "Say which job is meant: job_id=…")
        elif path.endswith("/events") and path.count("/") >= 3:
            # An id may have slashes of its own, a service has none.
            app, _, job_id = path[1 : -len("/events")].partition("/")
        else:
            raise Refusal(404, "There is nothing here. Streams are at /{service}/{job_id}/events.")
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            raise Refusal(405, "Streams can only be read.", [(b"allow", b"GET, HEAD, OPTIONS")])
        return app, job_id

    def _check(self) -> None:
        if not self._is_checked:
            self.access.check_secrets()
            settings = self._apps[0].settings
            if wants_opentelemetry_metrics(settings):
                observe_gateway_metrics(self.readings)
            self._is_checked = True


def _trouble(error: GoatherdError) -> Response:
    """The store is away, or we are not set up; what exactly is for our log, not for strangers."""
    log.warning("A client was turned away: %s", error)
    return Response(status=503, body=b"Events cannot be read for now; come back.\n", headers=[(b"retry-after", b"2")])
