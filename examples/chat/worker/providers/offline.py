"""Answers without a language model: the best sentences of the documents, and it says so."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from urllib.parse import urlsplit

from examples.chat.worker.documents import Passage
from examples.chat.worker.library import keywords, share_of
from examples.chat.worker.providers.provider import Question

INTRODUCTION = "No language model is at work here; this is what the documents say.\n\n"
NOTHING = "The documents say nothing about that, and no language model is at work here. Ask me about Goatherd!"
GREETING = "Hello! No language model is at work here, but I have read the documents. Ask me about Goatherd!"
#: Sentences in an answer, and passages that they come from, at the most.
SENTENCES, PASSAGES = 6, 2
_PIECE = re.compile(r"\s*\S+\s*")


class OfflineProvider:
    """Chooses sentences and types them out, word by word."""

    name = "offline"

    def __init__(self, pause: float) -> None:
        self._pause = pause

    async def see(self, image_url: str, model: str | None = None) -> str:
        """What can be said of a picture that nobody looks at."""
        if image_url.startswith("data:"):
            kind = image_url.partition(";")[0].removeprefix("data:")
            return f"a picture ({kind}, about {len(image_url) * 3 // 4000 + 1} kB) that only a language model could see"
        return f"a picture at {urlsplit(image_url).hostname} that only a language model could see"

    async def answer(self, question: Question) -> AsyncGenerator[str, None]:
        """The same answer to the same question, always."""
        for piece in _PIECE.findall(compose(question)):
            yield piece
            await asyncio.sleep(self._pause)

    async def close(self) -> None:
        """There is nothing to close."""


def compose(question: Question) -> str:
    """The whole answer."""
    seen = f"You sent {question.picture}.\n\n" if question.picture else ""
    if not question.passages:
        return seen + (NOTHING if keywords(question.message) else GREETING)
    passages = question.passages[:PASSAGES]
    told = "\n\n".join(_excerpt(passage, question.message) for passage in passages)
    sources = ", ".join(dict.fromkeys(passage.source for passage in passages))
    return f"{seen}{INTRODUCTION}{told}\n\nFrom: {sources}"


def _excerpt(passage: Passage, message: str) -> str:
    chosen = "\n".join(_best(passage.sentences, keywords(message), SENTENCES // PASSAGES))
    return "\n\n".join(part for part in (f"**{passage.title}**", chosen, passage.code) if part)


def _best(sentences: Sequence[str], words: Sequence[str], count: int) -> Iterator[str]:
    """Those with the most of these words, in the order of the text."""
    fit = {number: share_of(words, sentence) for number, sentence in enumerate(sentences)}
    for number in sorted(sorted(fit, key=lambda number: -fit[number])[:count]):
        yield sentences[number]
