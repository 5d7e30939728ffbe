"""A foreign worker that does not answer: its step is sent again, given up in the agreed form, and taken up by hand."""

import asyncio
import os
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from goatherd import Goatherd
from goatherd.errors import JobFailed
from goatherd.roles import working
from tests.interop import foreign_studio
from tests.interop.foreign_studio import (
    COMPENSATION,
    DEAD,
    PATIENCE,
    SOON,
    STEPS,
    ForeignWorker,
    Heard,
    Studio,
    Video,
    make_studio,
)
from tests.interop.pika_program import PikaProgram

pytestmark = [pytest.mark.servers, pytest.mark.timeout(120)]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def environment(url: str, tmp_path: Path) -> Mapping[str, str]:
    file = f"sqlite:///{tmp_path}/records.db"
    return {"GOATHERD_BROKER_URL": url, "GOATHERD_RECORDS_URL": file, "GOATHERD_EVENTS_URL": file}


@pytest.fixture
def studio(environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, heard: Heard) -> Studio:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return make_studio(Goatherd("studio"), heard, timeout=SOON)


@pytest.fixture
def worker(pika: PikaProgram) -> ForeignWorker:
    return ForeignWorker(pika)


async def goatherd(*arguments: str) -> str:
    """The command line, as an operator uses it."""
    command = ("-m", "goatherd", *arguments)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, env=os.environ, cwd=Path(__file__).parents[2],
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE):
        told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
    return told.decode()


async def test_it_is_sent_again_then_given_up_and_tried_again_by_hand(
    studio: Studio, worker: ForeignWorker, pika: PikaProgram, heard: Heard
) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.options(id="video-7").start(Video("a.mp4"))
        first, second = await worker.take(), await worker.take()
        assert [seen.json["attempt"] for seen in (first, second)] == [1, 2]
        # Whoever knows messages by their ids must not take the second for the first.
        assert first.properties.message_id != second.properties.message_id
        assert first.json["payload"] == second.json["payload"]
        with pytest.raises(JobFailed, match="no foreign worker answered within 1 s, 2 times"):
            await run.result(timeout=PATIENCE)

        letter = (await pika.take_meanwhile(DEAD)).json
        assert letter.keys() == {"original_message", "failed_at", "failure_reason", "attempt"}
        assert letter["attempt"] == 2
        assert letter["failure_reason"] == "TimeoutError: no foreign worker answered within 1 s, 2 times"
        assert datetime.fromisoformat(letter["failed_at"]).tzinfo is not None
        original = letter["original_message"]
        left_out = ("created_at",)
        assert {name: value for name, value in original.items() if name not in left_out} == {
            name: value for name, value in second.json.items() if name not in left_out
        }

        # An answer after all changes nothing, for the run has failed.
        worker.answer(second, ["late"])
        assert "1 dead letter" in await goatherd("dead", "replay", f"{foreign_studio.__name__}:app", "--all", "--yes")
        again = await worker.take()
        assert (again.json["attempt"], again.json["payload"]) == (1, first.json["payload"])
        worker.answer(again, ["hi"])
        assert await run.result(timeout=PATIENCE) == "HI!"
    assert heard.count("extract_audio") == 1


async def test_an_answer_to_the_first_message_counts_after_it_was_sent_again(
    studio: Studio, worker: ForeignWorker, heard: Heard
) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        first, second = await worker.take(), await worker.take()
        worker.answer(first, ["hi"])
        worker.answer(second, ["ho"])
        assert await run.result(timeout=PATIENCE) == "HI!"
    assert heard.count("translate") == 1


async def test_what_stands_in_is_told_in_the_agreed_form_and_others_may_ask_for_it(
    studio: Studio, worker: ForeignWorker, pika: PikaProgram, heard: Heard
) -> None:
    ours = [f"task.{step}" for step in STEPS if step != "asr"]
    async with studio.app:
        async with working(studio.app, queues=ours):
            run = await studio.dub.options(id="video-7").start(Video("a.mp4"))
            worker.answer(await worker.take(), ["hi", "mute", "ho"])
            seen = await pika.take_meanwhile(COMPENSATION)
            told = seen.json
            assert datetime.fromisoformat(told.pop("created_at")).tzinfo is not None
            assert told == {
                "task_id": "video-7", "step": "tts", "segment_idx": 1, "item": 1, "routing_key": "task.tts",
                "error": "ValueError: nothing to say", "pipeline": "dub",
            }  # fmt: skip
        async with studio.app.serve("worker"):
            # What the specification names is enough.
            asked = {name: seen.json[name] for name in ("task_id", "step", "segment_idx", "error", "routing_key")}
            pika.send(COMPENSATION, asked)
            assert await run.result(timeout=PATIENCE) == "HI! ... HO!"
    assert heard.count("silence") == 1


async def test_items_carry_their_number_and_the_arguments(
    studio: Studio, worker: ForeignWorker, pika: PikaProgram
) -> None:
    ours = [f"task.{step}" for step in STEPS if step not in ("asr", "tts")]
    async with studio.app, working(studio.app, queues=ours):
        await studio.dub.options(id="video-7").start(Video("a.mp4"))
        worker.answer(await worker.take(), ["hi", "ho"])
        seen = [(await pika.take_meanwhile("task.tts")).json for _ in range(2)]
    told = sorted((message["item"], message["payload"]) for message in seen)
    video = {"source_video_key": "a.mp4", "language": "en"}
    assert told == [(0, {"segment": "HI", **video}), (1, {"segment": "HO", **video})]
