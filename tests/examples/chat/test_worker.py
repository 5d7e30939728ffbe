"""One question as a job: its stages, its words, its retries, on the real engine."""

from collections.abc import AsyncGenerator, AsyncIterator
from itertools import groupby
from pathlib import Path

import pytest

from examples.chat.herd import chat
from examples.chat.settings import read_settings
from examples.chat.worker import service
from examples.chat.worker.providers.provider import ProviderAway, Question
from examples.chat.worker.service import process
from examples.chat.worker.staff import Staff
from goatherd import GiveUp, events
from goatherd.errors import JobFailed, SettingsError
from goatherd.testing import Herd, testing


class Stub:
    """Writes what it is told to, and fails as often as it is told to."""

    name = "stub"

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        self.questions: list[Question] = []

    async def see(self, image_url: str, model: str | None = None) -> str:
        return "a goat"

    async def answer(self, question: Question) -> AsyncGenerator[str, None]:
        self.questions.append(question)
        yield f"{len(self.questions)}: "
        if self.failures:
            raise self.failures.pop()
        yield "They climb."

    async def close(self) -> None: ...


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture
async def herd(stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Herd]:
    staff = Staff(read_settings({"CHAT_LIBRARY": str(tmp_path / "library.db"), "CHAT_PAUSE": "0"}))
    monkeypatch.setattr(service, "staff", staff)
    monkeypatch.setattr(staff, "provider", lambda model: staff._providers["offline"] if model == "offline" else stub)
    async with testing(chat) as opened:
        yield opened


async def ask(message: str, image_url: str | None = None, model: str | None = None) -> None:
    await process.options(id="job").start("job", "session", message, image_url=image_url, model=model)


async def seen() -> list[events.Event]:
    return [event async for event in chat.run("job").events()]


async def test_a_question_goes_through_its_stages(herd: Herd, stub: Stub) -> None:
    await ask("How do I retry a failed job?")
    await herd.drain()
    told = await seen()
    stages = [(event.stage, event.percent, event.status) for event in told if isinstance(event, events.Progress)]
    assert stages == [("intent", 10, "completed"), ("retrieval", 50, "completed"), ("answer", 60, "started")]
    assert "".join(event.text for event in told if isinstance(event, events.Token)) == "1: They climb."
    result = await chat.run("job", of=process).result()
    assert (result.text, result.intent, result.provider) == ("1: They climb.", "question", "stub")
    assert "howto/retry.md" in result.sources
    assert list(dict.fromkeys(one.source for one in stub.questions[0].passages)) == result.sources


async def test_a_picture_is_looked_at_and_a_greeting_needs_no_documents(herd: Herd, stub: Stub) -> None:
    await ask("What is this?", image_url="https://example.com/goat.png")
    await herd.drain()
    stages = [event.stage for event in await seen() if isinstance(event, events.Progress)]
    assert stages == ["intent", "vision", "vision", "retrieval", "answer"]
    assert stub.questions[0].picture == "a goat"


async def test_a_user_may_ask_for_the_provider_without_a_model(herd: Herd, stub: Stub) -> None:
    await ask("Hello!", model="offline")
    await herd.drain()
    result = await chat.run("job", of=process).result()
    assert (result.provider, result.intent, result.sources, stub.questions) == ("offline", "greeting", [], [])


async def test_an_answer_that_breaks_off_begins_anew(herd: Herd, stub: Stub) -> None:
    stub.failures = [ProviderAway("it broke off")]
    await ask("Do goats climb?")
    await herd.advance(5)
    assert await chat.run("job").text() == "2: They climb."
    told = [type(event).__name__ for event in await seen() if not isinstance(event, events.Progress)]
    assert [name for name, _ in groupby(told)] == [
        "Queued", "Started", "Token", "Retrying", "Started", "Token", "Done",
    ]  # fmt: skip


async def test_after_three_attempts_it_is_a_dead_letter(herd: Herd, stub: Stub) -> None:
    stub.failures = [ProviderAway("it is gone")] * 9
    await ask("Do goats climb?")
    await herd.advance(60)
    with pytest.raises(JobFailed, match="it is gone"):
        await chat.run("job").result()
    [letter] = herd.dead
    assert (letter.reason, letter.attempts, letter.error_type) == ("failed", 3, "ProviderAway")


async def test_what_will_not_pass_is_not_tried_again(herd: Herd, stub: Stub) -> None:
    stub.failures = [GiveUp("wrong key")]
    await ask("Do goats climb?")
    await herd.drain()
    [letter] = herd.dead
    assert (letter.attempts, len(stub.questions)) == (1, 1)


def test_the_task_is_as_the_contract_says() -> None:
    definition = process.definition
    assert (definition.name, definition.queue, definition.format.name) == ("chat.process", "chat.process", "taskiq")
    assert (definition.timeout, definition.retry.retries, definition.tracked) == (120, 2, True)
    assert definition.signature.names == (
        "job_id", "session_id", "message", "user_id", "image_url", "user_location", "model",
    )  # fmt: skip


async def test_a_folder_without_documents_is_told(tmp_path: Path) -> None:
    empty = {"CHAT_LIBRARY": str(tmp_path / "library.db"), "CHAT_DOCUMENTS": str(tmp_path)}
    staff = Staff(read_settings(empty))
    with pytest.raises(SettingsError, match="CHAT_DOCUMENTS"):
        await staff.arrive()
    await staff.leave()
