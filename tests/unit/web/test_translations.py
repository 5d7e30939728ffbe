"""What all formats of others have in common."""

from collections.abc import Sequence

import pytest

from goatherd.engine.ring import Batch
from goatherd.model.event import Entry, Token
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.event_store import Author, done
from goatherd.web.ai_sdk import AiSdk
from goatherd.web.dialect import Saying
from goatherd.web.translation import Asked, Shelf, Translation
from tests.unit.web.chunks import logged, standing
from tests.unit.web.conftest import Visit
from tests.unit.web.readers import chunks, completion, has, message

AI_SDK, OPENAI = {"format": "ai-sdk"}, {"format": "openai"}
SOON = {"gateway_keepalive": 0.2}
PLACE = "5f0c1a2b3c4d-8"


async def test_a_format_that_there_is_not_is_refused_with_those_that_there_are(visit: Visit) -> None:
    visitor = await visit({"format": "soap"}).over()
    assert (visitor.status, visitor.body) == (400, b"There is no format 'soap'; there is native, ai-sdk, openai.\n")


@pytest.mark.parametrize("format", [AI_SDK, OPENAI])
@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"last_event_id": "now"}, "begins with the whole text"),
        ({"last_token_seq": "3"}, "begins with the whole text"),
        ({"wait": "5"}, "wait is for the native format"),
        ({"after": PLACE}, "is no id of an event in this format"),
        ({"after": f"{PLACE}~x"}, "is no id of an event in this format"),
        ({"after": "nonsense~a"}, "is no id of an event in this format"),
        ({"model": "m" * 101}, "at most 100 characters"),
    ],
)
async def test_what_would_give_a_text_with_a_hole_is_refused(
    visit: Visit, format: dict[str, str], query: dict[str, str], why: str
) -> None:
    visitor = await visit({**format, **query}).over()
    assert visitor.status == 400
    assert why in visitor.body.decode()


async def test_an_id_of_another_format_is_refused(visit: Visit, author: Author) -> None:
    for query in ({**OPENAI, "after": f"{PLACE}~a"}, {**AI_SDK, "after": f"{PLACE}~o"}, {"after": f"{PLACE}~a"}):
        assert (await visit(query).over()).status == 400


@pytest.mark.parametrize("settings", [{"gateway_max_wait": 0.3, **SOON}], indirect=True)
async def test_one_who_is_sent_away_does_not_take_the_half_for_the_whole(visit: Visit, author: Author) -> None:
    await author.say("Hello")
    for format in (AI_SDK, OPENAI):
        visitor = await visit(format).over()
        assert visitor.complete
        assert "max_wait" in str(chunks(visitor)[-1].data)
        assert chunks(visitor)[-1].id is None
        assert b"DONE" not in visitor.body


@pytest.mark.parametrize("format", [AI_SDK, OPENAI])
@pytest.mark.parametrize("settings", [SOON], indirect=True)
async def test_signs_of_life_are_no_events(visit: Visit, author: Author, format: dict[str, str]) -> None:
    await author.say("Hello")
    visitor = await has(visit(format), "Hello")
    await visitor.until(lambda visitor: visitor.body.endswith(b"\n\n:\n"))
    told = len(chunks(visitor))
    await author.say("World")
    await has(visitor, "World")
    assert len(chunks(visitor)) == told + 1


@pytest.mark.parametrize("format", [AI_SDK, OPENAI])
async def test_what_is_long_is_written_in_pieces_and_told_once(
    visit: Visit, author: Author, format: dict[str, str]
) -> None:
    """One event that is longer than a piece, while somebody watches."""
    visitor = await visit(format).until(lambda visitor: visitor.body)
    await author.say("x" * 60_000 + "y")
    await author.say("z")
    await author.write(done())
    await visitor.over()
    made = message(visitor) if format is AI_SDK else completion(visitor)
    assert made.text == "x" * 60_000 + "yz"


class Counted(AiSdk):
    """Counts what it makes."""

    def __init__(self) -> None:
        super().__init__("job")
        self.made: list[str] = []

    def entries(self, heard: str, entries: Sequence[Entry]) -> Saying:
        self.made.append(heard)
        return super().entries(heard, entries)

    def snapshot(self, heard: str, *more: object) -> Saying:
        self.made.append(heard)
        return super().snapshot(heard, *more)  # type: ignore[arg-type]


def test_what_all_are_told_is_made_once() -> None:
    dialect, shelf, clock = Counted(), Shelf(), SystemClock()
    clients = [Translation(dialect, Asked(None, None), shelf, clock) for _ in range(100)]
    tokens = [Token(attempt=1, at=1.0, text=text, node="answer") for text in "ab"]
    for batch in (Batch(logged(tokens[0])), Batch(logged(tokens[1], first=2))):
        assert len({client.of_batch(batch) for client in clients}) == 1
    assert len({client.of(standing(*tokens)) for client in clients}) == 1
    assert dialect.made == ["a", "a=answer", "a=answer"]


def test_those_who_were_told_something_else_get_something_else() -> None:
    shelf, clock, batch = Shelf(), SystemClock(), Batch(logged(Token(attempt=1, at=1.0, text="b", node="answer")))
    clients = [Translation(AiSdk("job"), Asked(None, mark), shelf, clock) for mark in ("a", "a=answer", "a*", "a=x")]
    assert len({client.of_batch(batch) for client in clients}) == 4
