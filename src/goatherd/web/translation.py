"""One client's stream in a format of others; those who were told the same share what is made for them."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from goatherd.engine.ring import Batch
from goatherd.model.event import BEGINNING, Entry, Position
from goatherd.model.reading import Reading
from goatherd.ports.clock import Clock
from goatherd.web.ai_sdk import AiSdk
from goatherd.web.asgi import Headers, Request
from goatherd.web.cursor import id_in
from goatherd.web.dialect import BETWEEN, Dialect, Saying
from goatherd.web.frame import chunk_of
from goatherd.web.openai import OpenAi
from goatherd.web.responses import Refusal

#: What `?format=` may say besides `native`: of a job, and of the model that the client wants to see named.
DIALECTS: Mapping[str, Callable[[str, str], Dialect]] = {"ai-sdk": lambda job_id, _: AiSdk(job_id), "openai": OpenAi}
LONGEST_MODEL = 100


class Shelf:
    """The snapshot that was made last: a long text is in memory once, however slowly its clients read."""

    def __init__(self) -> None:
        self._place: object = None
        self._saying = Saying(b"", "")

    def take(self, place: object, make: Callable[[], Saying]) -> Saying:
        """What is kept for this place, or what is made for it now."""
        if place != self._place:
            self._saying = make()
            self._place = place
        return self._saying


class Asked(NamedTuple):
    """Where a client wants to go on from, and the mark of what it has; no mark if it has nothing."""

    after: Position | None
    mark: str | None


class Translation:
    """Encodes for one client, and remembers its mark."""

    __slots__ = ("_clock", "_dialect", "_heard", "_shelf", "_welcome", "after", "over")

    #: As comments of others are sent, with an empty line after them, some libraries take them for events without JSON.
    comment = b":\n"

    def __init__(self, dialect: Dialect, asked: Asked, shelf: Shelf, clock: Clock) -> None:
        self._dialect = dialect
        self._shelf = shelf
        self._clock = clock
        self._heard = asked.mark or dialect.fresh
        self._welcome = asked.mark is None
        #: Where to begin; None for the job as it stands.
        self.after = asked.after
        #: Whether no more can be said on this connection, although the job goes on.
        self.over = False

    @property
    def headers(self) -> Headers:
        """Of the response, beside the usual ones."""
        return self._dialect.headers

    @property
    def only_active(self) -> bool:
        """Whether the client asks only for what is going on."""
        return self._dialect.only_active and self.after is None

    def head(self, retry: int, mode: str, place: object) -> bytes:
        """What comes first; the empty line comes with the first chunk."""
        welcome = self._dialect.opening(self._clock.now()) if self._welcome else b""
        return f"retry: {retry}\n: goatherd mode={mode} pos={place}\n".encode() + welcome

    def of(self, told: Reading | Sequence[Entry]) -> bytes:
        """What a follower handed out, as the stream has it."""
        if isinstance(told, Reading):
            place = (self._dialect.key, self._heard, told.top)
            return self._say(self._shelf.take(place, lambda: self._of_reading(told)))
        return self.of_batch(told) if isinstance(told, Batch) else self._say(self._dialect.entries(self._heard, told))

    def of_batch(self, batch: Batch) -> bytes:
        """Events as the stream has them; each batch must be given once, for the client is told it then."""
        key = (self._dialect.key, self._heard)
        saying = batch.made.get(key)
        if saying is None:
            saying = batch.made[key] = self._dialect.entries(self._heard, batch)
        return self._say(saying)

    def chunked(self, batch: Batch, body: bytes) -> bytes:
        """The same in the form that a part of a body has on the wire."""
        return chunk_of(body)

    def farewell(self, reason: str, heard_events: bool) -> bytes:
        """The connection ends, the job goes on."""
        return self._dialect.farewell(reason)

    def _of_reading(self, reading: Reading) -> Saying:
        return self._dialect.snapshot(self._heard, reading, self._clock.now())

    def _say(self, saying: Saying) -> bytes:
        self._heard, self.over = saying.heard, saying.over
        # Not every event has a word in every format; then it is a sign of life.
        return saying.body or self.comment


def translation(request: Request, job_id: str, app: str, shelf: Shelf, clock: Clock) -> Translation | None:
    """What a client asks for; None if it wants the native format, or one that there is not; raises Refusal."""
    make = DIALECTS.get(request.query.get("format", ""))
    if make is None:
        return None
    model = request.query.get("model") or app
    if len(model) > LONGEST_MODEL:
        raise Refusal(400, f"model is a name of at most {LONGEST_MODEL} characters.")
    if "wait" in request.query:
        raise Refusal(400, "wait is for the native format: this one is a stream.")
    dialect = make(job_id, model)
    return Translation(dialect, asked_in(request, dialect), shelf, clock)


def asked_in(request: Request, dialect: Dialect) -> Asked:
    """Where a client wants to go on from; raises Refusal for what would give it a text with a hole."""
    told = id_in(request)
    if told == "now" or (not told and "last_token_seq" in request.query):
        raise Refusal(400, "In this format a stream goes on after the id of an event, or begins with the whole text.")
    if not told:
        return Asked(None, None)
    if told == "earliest":
        return Asked(BEGINNING, None)
    place, _, mark = told.partition(BETWEEN)
    try:
        dialect.check(mark)
        return Asked(Position.parse(place), mark)
    except ValueError as error:
        raise Refusal(400, f"{told!r} is no id of an event in this format; or give `earliest`.") from error
