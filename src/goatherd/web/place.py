"""What answers a request for a job's events, on one loop: a stream, or something short."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from goatherd.app import Goatherd
from goatherd.errors import UnknownJob
from goatherd.model.job_record import JobRecord
from goatherd.model.reading import Reading
from goatherd.model.settings import Settings
from goatherd.model.stream_token import StreamToken
from goatherd.web import long_poll
from goatherd.web.asgi import Request
from goatherd.web.beginning import Beginning, begin, state_of
from goatherd.web.crowd import Client, Crowd
from goatherd.web.cursor import Cursor, cursor_in
from goatherd.web.encoding import FORMATS, Encoding, Encodings
from goatherd.web.frame import Format, as_stream
from goatherd.web.metrics import GatewayMetrics
from goatherd.web.presence import Showing
from goatherd.web.responses import PRIVATE, Refusal, Response
from goatherd.web.sources import Source, Sources
from goatherd.web.stream import HEADERS, Stream, Wishes
from goatherd.web.tracing import begin_span
from goatherd.web.translation import Translation, translation

Answer: TypeAlias = Response | Stream

#: The client has seen the job's end, and a browser that is told so stays away.
OVER = Response(status=204, headers=[*PRIVATE])


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Somebody who may watch a job, and wants to."""

    app: Goatherd
    job_id: str
    token: StreamToken | None
    request: Request

    @property
    def subject(self) -> str | None:
        """On whose behalf."""
        return None if self.token is None else self.token.subject


class Place:
    """All that is open on one loop."""

    def __init__(
        self,
        settings: Settings,
        metrics: GatewayMetrics,
        *,
        role: Literal["gateway", "dashboard"] = "gateway",
        formats: Mapping[str, type[Format]] = FORMATS,
    ) -> None:
        self.sources = Sources()
        most, most_each = settings.gateway_connections, settings.gateway_connections_each
        self.crowd = Crowd(metrics, most=most, most_each=most_each)
        self.showing = Showing(self.sources, role)
        self._metrics = metrics
        self._formats = formats
        self._encodings: dict[str, Encodings] = {}

    async def close(self) -> None:
        """Let go of everything."""
        await self.crowd.close()
        await self.showing.close()
        await self.sources.close()

    async def answer(self, visit: Visit) -> Answer:
        """What to send; raises Refusal, Unavailable and what opening an app raises."""
        subject = visit.subject
        self.crowd.admit(subject)
        answer: Answer | None = None
        try:
            answer = await self._answer(visit)
        finally:
            if not isinstance(answer, Stream):
                self.crowd.dismiss(subject)
        return answer

    async def _answer(self, visit: Visit) -> Answer:
        shelf = self._encodings_of(visit.app).shelf
        translated = translation(visit.request, visit.job_id, visit.app.name, shelf, visit.app.clock)
        if translated is not None:
            return await self._translated(visit, translated)
        cursor = cursor_in(visit.request)
        encoding = self._encodings_of(visit.app).named(visit.request.query.get("format", "native"))
        wait = long_poll.wait_in(visit.request, visit.app.settings.gateway_max_wait)
        source = await self.sources.of(visit.app)
        now = visit.app.clock.now()
        beginning = await self._begin(source, visit, cursor, encoding.format, now)
        if isinstance(beginning, JobRecord):
            return self._from_history(beginning, visit, cursor, wait)
        if wait is not None:
            client = await self._enter(visit, beginning)
            try:
                return await long_poll.poll(beginning, encoding.format, wait, now, self._metrics, client.counts)
            finally:
                self.crowd.leave(client)
                await beginning.follower.stop()
        return await self._begun(visit, source, beginning, cursor, encoding)

    async def _translated(self, visit: Visit, encoding: Translation) -> Answer:
        """A stream in a format of others."""
        source = await self.sources.of(visit.app)
        try:
            if encoding.only_active and (await state_of(source, visit.job_id)).closed:
                return OVER
            follower = await source.subscriptions.follow(visit.job_id, encoding.after)
        except UnknownJob:
            if encoding.only_active:
                return OVER
            # The history may know how it ended, but not the text, and an end without it would look like an answer.
            raise Refusal(404, "This job is not known, or its text is no longer kept.") from None
        beginning = Beginning(follower=follower, frames=[], mode="resume" if follower.resumed else "snapshot")
        return await self._begun(visit, source, beginning, encoding.after, encoding)

    async def _begun(
        self, visit: Visit, source: Source, beginning: Beginning, cursor: Cursor, encoding: Encoding | Translation
    ) -> Answer:
        if visit.request.method != "HEAD" and not _is_over(beginning):
            stream = await self._stream(visit, beginning, cursor, encoding)
            if source.tracer is not None:
                stream.begin_span = partial(begin_span, source, visit.app.name, visit.job_id, visit.request)
            return stream
        await beginning.follower.stop()
        if _is_over(beginning):
            return OVER
        return Response(status=200, headers=[*HEADERS[1:], *encoding.headers], type=HEADERS[0][1])

    async def _stream(
        self, visit: Visit, beginning: Beginning, cursor: Cursor, encoding: Encoding | Translation
    ) -> Stream:
        wishes = Wishes(
            keepalive=visit.app.settings.gateway_keepalive,
            in_comments=isinstance(encoding, Translation) or visit.request.query.get("keepalive") == "comment",
            encoding=encoding,
        )
        if beginning.mode == "snapshot":
            self._metrics.resyncs["new" if cursor is None else "gap"] += 1
        client = await self._enter(visit, beginning)
        return Stream(client, beginning, self.crowd, self._metrics, visit.app.clock, wishes)

    async def _enter(self, visit: Visit, beginning: Beginning) -> Client:
        settings, now = visit.app.settings, visit.app.clock.now()
        client = Client(beginning.follower, visit.subject, await self.showing.counts_of(visit.app))
        self.crowd.enter(client, settings.gateway_keepalive)
        client.end_at(self.crowd.now + settings.gateway_max_wait, "max_wait")
        if visit.token is not None:
            client.end_at(self.crowd.now + visit.token.expires_at - now, "token")
        return client

    async def _begin(
        self, source: Source, visit: Visit, cursor: Cursor, format: Format, now: float
    ) -> Beginning | JobRecord:
        """Where a client begins, or what the history says of a job whose log is gone; raises Refusal."""
        record: JobRecord | None = None
        while True:
            try:
                return await begin(source, visit.job_id, cursor, format, now)
            except UnknownJob:
                if record is not None:
                    return record
            record = await self.sources.record(visit.app, visit.job_id)
            if record is None or not record.state.closed:
                raise Refusal(404, "This job is not known, or no longer.")
            # While the history was asked, a log that had been lost may have begun anew and come to its end: then it
            # is still there, with the text.

    def _from_history(self, record: JobRecord, visit: Visit, cursor: Cursor, wait: float | None) -> Response:
        position = record.state.position
        encoding = self._encodings_of(visit.app).named(visit.request.query.get("format", "native"))
        ended = Reading(state=record.state, resumed=False)
        frames = [] if cursor == position else encoding.format.snapshot(ended, record.at)
        if wait is not None:
            return long_poll.closed(frames, str(position))
        return Response(status=200, headers=HEADERS[1:], type=HEADERS[0][1], body=as_stream(frames)) if frames else OVER

    def _encodings_of(self, app: Goatherd) -> Encodings:
        if app.name not in self._encodings:
            self._encodings[app.name] = Encodings(app.clock, self._formats)
        return self._encodings[app.name]


def _is_over(beginning: Beginning) -> bool:
    return beginning.follower.ended and not beginning.frames
