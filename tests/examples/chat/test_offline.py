"""Answers without a language model."""

import pytest

from examples.chat.worker.documents import Passage
from examples.chat.worker.intent import intent_of
from examples.chat.worker.providers.offline import GREETING, INTRODUCTION, NOTHING, OfflineProvider, compose
from examples.chat.worker.providers.provider import Question

GOATS = Passage(
    source="goats.md",
    title="Goats",
    text="They climb.\nThey eat grass.\nGoats have horns.\nThey are warm.\nTheir horns are hard.",
    code="```\nmilk()\n```",
)


async def test_it_says_what_it_is_and_where_it_is_from() -> None:
    text = compose(Question(message="Do goats have horns?", passages=[GOATS]))
    assert text.startswith(INTRODUCTION)
    assert text.endswith("From: goats.md")
    assert "Goats have horns.\nTheir horns are hard." in text
    assert "milk()" in text


async def test_the_pieces_are_the_answer() -> None:
    question = Question(message="Do goats have horns?", passages=[GOATS])
    pieces = [piece async for piece in OfflineProvider(0).answer(question)]
    assert len(pieces) > 10
    assert "".join(pieces) == compose(question)


def test_where_nothing_is_known_it_says_so() -> None:
    assert compose(Question(message="Who won?")) == NOTHING
    assert compose(Question(message="Hi!")) == GREETING


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://user@example.com/goat.png", "a picture at example.com"),
        ("data:image/png;base64," + 4000 * "A", "a picture (image/png, about 4 kB)"),
    ],
)
async def test_it_does_not_pretend_to_see(url: str, told: str) -> None:
    seen = await OfflineProvider(0).see(url)
    assert seen == f"{told} that only a language model could see"
    assert f"You sent {seen}." in compose(Question(message="What is this?", picture=seen))


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Hello!", "greeting"),
        ("hi there", "greeting"),
        ("Thanks", "greeting"),
        ("Hello, how do I retry a failed job?", "question"),
        ("History of goats", "question"),
    ],
)
def test_intents(message: str, intent: str) -> None:
    assert intent_of(message, None) == intent
    assert intent_of(message, "https://example.com/goat.png") == "picture"
