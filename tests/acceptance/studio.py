"""An app with pipelines that fail, wait and are stood in for; copied into the story's own folder."""

import asyncio
import os
from pathlib import Path

import msgspec

from goatherd import Failure, Goatherd, Retry

app = Goatherd("studio")

#: While this file is there, nobody can read aloud.
HOARSE = Path("hoarse")


class Book(msgspec.Struct):
    """What a run begins with."""

    title: str
    chapters: list[str]
    password: str = ""
    port: int = 0


def note(what: str) -> None:
    """Write down that something was done."""
    with Path("done").open("a", encoding="utf-8") as file:
        file.write(f"{what}\n")


audiobook = app.pipeline("audiobook", takes=Book, gives=str)


@audiobook.step(after=audiobook.input)
async def split(book: Book) -> list[str]:
    """Give the chapters."""
    note("split")
    return book.chapters


@audiobook.map(over=split, retry=Retry(1, base=0.01, jitter=0))
async def narrate(chapter: str) -> int:
    """Read one chapter aloud."""
    if chapter == "hard" and HOARSE.exists():
        raise ConnectionError("no voice")
    note(f"narrate {chapter}")
    return len(chapter)


@audiobook.step(after=audiobook.input)
async def draw(book: Book) -> str:
    """Draw a cover, as soon as the story lets it."""
    if book.port:
        reader, writer = await asyncio.open_connection("127.0.0.1", book.port)
        try:
            writer.write(f"{book.title}|{os.getpid()}|1|\n".encode())
            await reader.readexactly(1)
            writer.write(b"done\n")
            await writer.drain()
        finally:
            writer.close()
    return f"{book.title}.png"


@audiobook.step(after=(audiobook.input, narrate, draw))
async def bind(book: Book, letters: list[int], cover: str) -> str:
    """Put all of it together."""
    note("bind")
    return f"{book.title}: {sum(letters)} letters, {cover}"


radio = app.pipeline("radio", takes=list[str], gives=list[str])


@radio.map(over=radio.input, retry=Retry(0))
async def speak(line: str) -> str:
    """Say one line."""
    if HOARSE.exists():
        raise ConnectionError(f"cannot say {line}")
    return f"{line}.wav"


@speak.compensate(queue="by-hand")
async def silence(failure: Failure, line: str) -> str:
    """Stand in for a line that nobody could say."""
    return f"silence for {line}"


@radio.step(after=speak)
async def mix(sounds: list[str]) -> list[str]:
    """Put all of them together."""
    return sounds
