"""Random lives of a job, told in random pieces to clients that are slow, cut off and come back."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from goatherd.model.event import Done, Entry, Event, Failed, Progress, Queued, Retrying, Snapshot, Started, Token
from goatherd.web.ai_sdk import AiSdk
from goatherd.web.dialect import BETWEEN, Dialect
from goatherd.web.openai import OpenAi
from tests.unit.web.chunks import logged, read, standing
from tests.unit.web.readers import Completion, UiMessage, whole_groups


def _token(attempt: int) -> st.SearchStrategy[Event]:
    texts, nodes = st.text(min_size=1, max_size=3), st.sampled_from(["", "text", "answer", "sources"])
    return st.builds(Token, attempt=st.just(attempt), at=st.just(1.0), text=texts, node=nodes)


def _stage(attempt: int) -> st.SearchStrategy[Event]:
    names = st.sampled_from(["intent", "answer", "queued", "started"])
    return st.builds(Progress, attempt=st.just(attempt), at=st.just(1.0), stage=names)


def _snapshot(attempt: int) -> st.SearchStrategy[Event]:
    return st.builds(Snapshot, attempt=st.just(attempt), at=st.just(1.0), stage=st.just("x"), text=st.text(max_size=3))


@st.composite
def lives(draw: st.DrawFn) -> list[Event]:
    events: list[Event] = [Queued(attempt=0, at=1.0)]
    for attempt in range(1, draw(st.integers(1, 3)) + 1):
        if attempt > 1 and draw(st.booleans()):
            events.append(Retrying(attempt=attempt - 1, at=1.0, error="ValueError", delay=0.0))
        events.append(Started(attempt=attempt, at=1.0, worker="w"))
        told = st.one_of(_token(attempt), _token(attempt), _token(attempt), _stage(attempt), _snapshot(attempt))
        events += draw(st.lists(told, max_size=6))
    ends: list[Event] = [
        Done(attempt=attempt, at=1.0, result=msgspec.Raw(b"1")),
        Failed(attempt=0, at=1.0, reason="failed", error="ValueError", message="no goats"),
        Failed(attempt=0, at=1.0, reason="cancelled", error="JobCancelled", message="stopped"),
    ]
    return [*events, draw(st.sampled_from(ends))]


class Line:
    """One who follows a job until its end: events, or what stands for them, and interruptions in between."""

    def __init__(self, dialect: Dialect, life: list[Event], draw: Any) -> None:
        self.dialect, self.life, self._draw = dialect, life, draw
        self.seen, self.heard = 0, dialect.fresh
        self._over = False

    def connect(self, client: Any) -> None:
        """Tell a client everything from here on, until it has seen the end, or nothing more can be said."""
        while not client.finished and not self._over:
            if self.seen and self._draw(st.integers(0, 5)) == 5:
                self._tell_instead(client)
            else:
                self._tell_some(client)

    def begin_anew(self, client: Any) -> None:
        self.heard, self._over = self.dialect.fresh, False
        for chunk in read(self.dialect.opening(1.0)):
            client.take(chunk.data)
        if self.seen:
            self._tell(client, self.dialect.snapshot(self.heard, standing(*self.life[: self.seen]), 1.0))

    def _tell_instead(self, client: Any) -> None:
        self.seen = self._draw(st.integers(self.seen, len(self.life)))
        self._tell(client, self.dialect.snapshot(self.heard, standing(*self.life[: self.seen]), 1.0))

    def _tell_some(self, client: Any) -> None:
        count = self._draw(st.integers(1, 5))
        entries: list[Entry] = logged(*self.life[self.seen : self.seen + count], first=self.seen + 1)
        saying = self.dialect.entries(self.heard, entries)
        chunks = read(saying.body)
        lost = self._draw(st.integers(0, len(chunks))) if self._draw(st.integers(0, 2)) == 2 else 0
        if not lost:
            self.seen += len(entries)
            self._tell(client, saying)
            return
        # The connection is cut somewhere, and the client resumes with the last id that it has.
        for chunk in whole_groups(chunks[: len(chunks) - lost]):
            client.take(chunk.data)
            if chunk.id:
                place, _, self.heard = chunk.id.partition(BETWEEN)
                self.dialect.check(self.heard)
                self.seen = int(place.rpartition("-")[2])

    def _tell(self, client: Any, saying: Any) -> None:
        for chunk in read(saying.body):
            client.take(chunk.data)
        self.heard, self._over = saying.heard, saying.over


@settings(max_examples=60)
@given(st.data(), lives())
def test_an_ai_sdk_message_ends_with_the_text_of_the_job(data: st.DataObject, life: list[Event]) -> None:
    message, line = UiMessage(), Line(AiSdk("job"), life, data.draw)
    line.begin_anew(message)
    line.connect(message)
    end = standing(*life)
    assert message.text == end.text
    assert all(part["state"] == "done" for part in message.parts if part["type"] == "text")
    assert message.errors == (["no goats"] if end.state.status == "failed" else [])


@settings(max_examples=60)
@given(st.data(), lives())
def test_an_ai_sdk_message_that_is_replayed_is_the_same(data: st.DataObject, life: list[Event]) -> None:
    message, line = UiMessage(), Line(AiSdk("job"), life, data.draw)
    line.seen = data.draw(st.integers(0, len(life)))
    line.begin_anew(message)
    line.connect(message)
    assert message.text == standing(*life).text


@settings(max_examples=60)
@given(st.data(), lives())
def test_a_completion_that_ends_in_good_order_is_the_text_of_the_job(data: st.DataObject, life: list[Event]) -> None:
    line = Line(OpenAi("job", "m"), life, data.draw)
    for _ in range(len(life) + 1):
        completion = Completion()
        line.begin_anew(completion)
        line.connect(completion)
        if completion.finished:
            break
        # Whatever it has, it knows that this is not the answer.
        assert completion.error == "text_void"
        assert completion.finish_reason is None
    end = standing(*life)
    assert completion.finished
    assert completion.roles == ["assistant"]
    if end.state.status == "done":
        assert (completion.text, completion.finish_reason, completion.error) == (end.text, "stop", None)
    else:
        assert (completion.finish_reason, completion.error) == (None, f"job_{end.state.status}")
