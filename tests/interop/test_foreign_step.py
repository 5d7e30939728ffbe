"""A step in the middle of a pipeline is done by a plain pika program: by its answer, or by what it sends on."""

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

from goatherd import DeadLetter, Goatherd
from tests.interop.foreign_studio import EXCHANGE, PATIENCE, ForeignWorker, Heard, Studio, Video, make_studio
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import letters_of

pytestmark = pytest.mark.servers

DONE = [
    ("extract_audio", "a.mp4"), ("translate", ["hi", "ho"]), ("tts", "HI"), ("tts", "HO"), ("mux_video", ["HI!", "HO!"])
]  # fmt: skip


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def app(url: str, tmp_path: Path) -> Goatherd:
    file = f"sqlite:///{tmp_path}/records.db"
    # Messages about runs that nobody knows are offered for a second.
    return Goatherd("studio", broker_url=url, records_url=file, events_url=file, deploy_grace=1)


@pytest.fixture
def studio(app: Goatherd, heard: Heard) -> Studio:
    return make_studio(app, heard)


@pytest.fixture
def worker(pika: PikaProgram) -> ForeignWorker:
    return ForeignWorker(pika)


async def test_it_gets_the_envelope_and_all_arguments(studio: Studio, worker: ForeignWorker) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.options(id="video-7").start(Video("a.mp4"))
        seen = await worker.take()
        worker.answer(seen, ["hi"])
        await run.result(timeout=PATIENCE)
    told = seen.json
    assert datetime.fromisoformat(told.pop("created_at")).tzinfo is not None
    assert told == {
        "v": 1, "task_id": "video-7", "step": "asr", "attempt": 1, "trace_id": "video-7", "pipeline": "dub",
        "payload": {"audio_key": "a.mp4.wav", "source_video_key": "a.mp4", "language": "en"},
    }  # fmt: skip
    assert (seen.method.exchange, seen.method.routing_key) == (EXCHANGE, "task.asr")
    properties = seen.properties
    assert (properties.content_type, properties.delivery_mode) == ("application/json", 2)
    assert (properties.type, properties.reply_to) == ("dub.asr", "studio.step-answers")
    assert properties.message_id


@pytest.mark.parametrize("times", [1, 3])
async def test_its_answer_is_the_result_once(studio: Studio, worker: ForeignWorker, heard: Heard, times: int) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        worker.answer(await worker.take(), ["hi", "ho"], times)
        assert await run.result(timeout=PATIENCE) == "HI! HO!"
    assert sorted(heard.told, key=str) == sorted(DONE, key=str)


async def test_an_answer_needs_only_run_step_and_result(
    studio: Studio, worker: ForeignWorker, pika: PikaProgram
) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        seen = await worker.take()
        pika.send(seen.properties.reply_to, {"task_id": run.id, "step": "asr", "payload": ["hi"]})
        assert await run.result(timeout=PATIENCE) == "HI!"


@pytest.mark.parametrize("times", [1, 3])
async def test_the_next_message_that_it_sends_says_that_it_is_done(
    studio: Studio, worker: ForeignWorker, heard: Heard, times: int
) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        seen = await worker.take()
        payload = {"segments": ["hi", "ho"], "source_language": "en"}
        following = {**seen.json, "step": "translate", "payload": payload}
        worker.publish("translate", following, times)
        assert await run.result(timeout=PATIENCE) == "HI! HO!"
        # It may answer as well, and what comes last changes nothing.
        worker.answer(seen, ["other"])
        worker.publish("translate", following | {"payload": {"segments": ["other"]}})
        assert await (await studio.dub.options(id=run.id).start(Video("b.mp4"))).result(timeout=PATIENCE) == "HI! HO!"
    assert sorted(heard.told, key=str) == sorted(DONE, key=str)


async def test_an_answer_that_does_not_fit_is_a_dead_letter_and_the_run_waits_for_a_better_one(
    studio: Studio, worker: ForeignWorker
) -> None:
    letters = letters_of(studio.app)
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        seen = await worker.take()
        worker.answer(seen, {"no": "list"})
        letter: DeadLetter = await letters.next()
        assert (letter.reason, letter.queue) == ("invalid", "studio.step-answers")
        assert "dub.asr" in letter.message
        worker.answer(seen, ["hi"])
        assert await run.result(timeout=PATIENCE) == "HI!"


@pytest.mark.parametrize("times", [1, 3])
async def test_a_foreign_producer_begins_a_run(studio: Studio, worker: ForeignWorker, heard: Heard, times: int) -> None:
    async with studio.app.serve("worker"):
        message = {"task_id": "video-9", "step": "extract_audio", "payload": {"source_video_key": "a.mp4"}}
        worker.publish("extract_audio", message, times)
        worker.answer(await worker.take(), ["hi", "ho"])
        run = studio.app.run("video-9", studio.dub)
        assert await run.result(timeout=PATIENCE) == "HI! HO!"
        worker.publish("extract_audio", message)
        worker.publish("mux_video", {"task_id": "video-9", "step": "mux_video"})
        # Another run passes through the same queues after them.
        other = await studio.dub.start(Video("b.mp4"))
        worker.answer(await worker.take(), ["hi"])
        await other.result(timeout=PATIENCE)
    ours = [told for told in heard.told if told[0] == "extract_audio"]
    assert ours == [("extract_audio", "a.mp4"), ("extract_audio", "b.mp4")]
    assert heard.count("mux_video") == 2


async def test_a_beginning_that_does_not_fit_is_a_dead_letter(studio: Studio, worker: ForeignWorker) -> None:
    letters = letters_of(studio.app)
    async with studio.app.serve("worker"):
        worker.publish("extract_audio", {"task_id": "video-9", "step": "extract_audio", "payload": {"language": 7}})
        letter: DeadLetter = await letters.next()
    assert (letter.reason, letter.queue) == ("invalid", "task.extract_audio")
    assert "'dub'" in letter.message


async def test_what_comes_too_early_is_not_run_and_not_lost(
    studio: Studio, worker: ForeignWorker, heard: Heard
) -> None:
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        seen = await worker.take()
        for step in ("mux_video", "tts"):
            worker.publish(step, {**seen.json, "step": step, "payload": {}})
        # Without the result it says nothing about the step before.
        worker.publish("translate", {**seen.json, "step": "translate", "payload": {}})
        await asyncio.to_thread(worker.wait_until_taken, "mux_video", "tts", "translate")
        assert heard.told == [("extract_audio", "a.mp4")]
        worker.answer(seen, ["hi", "ho"])
        assert await run.result(timeout=PATIENCE) == "HI! HO!"
    assert sorted(heard.told, key=str) == sorted(DONE, key=str)


async def test_what_is_about_an_unknown_run_is_not_run_and_not_lost(
    studio: Studio, worker: ForeignWorker, heard: Heard
) -> None:
    letters = letters_of(studio.app)
    message = {"task_id": "nobody", "step": "translate", "payload": {"segments": ["hi"]}}
    async with studio.app.serve("worker"):
        worker.publish("translate", message)
        letter: DeadLetter = await letters.next()
    assert (letter.reason, letter.queue, letter.job_id) == ("unknown_task", "task.translate", "nobody")
    assert "no run 'nobody' of 'dub'" in letter.message
    assert not heard.told


async def test_a_message_about_a_run_that_is_not_on_record_yet_waits_for_it(
    studio: Studio, worker: ForeignWorker, heard: Heard
) -> None:
    async with studio.app.serve("worker"):
        message = {"task_id": "video-8", "step": "translate", "payload": {"segments": ["hi", "ho"]}}
        worker.publish("translate", message)
        await asyncio.to_thread(worker.wait_until_taken, "translate")
        run = await studio.dub.options(id="video-8").start(Video("a.mp4"))
        worker.answer(await worker.take(), ["hi", "ho"])
        assert await run.result(timeout=PATIENCE) == "HI! HO!"
    assert sorted(heard.told, key=str) == sorted(DONE, key=str)


@pytest.mark.parametrize("odd", [{"item": 10**12}, {"item": "three"}, {"task_id": "a\0b"}, {"task_id": "x" * 600}])
async def test_odd_messages_do_no_harm(
    studio: Studio, worker: ForeignWorker, heard: Heard, odd: dict[str, object]
) -> None:
    """No store is asked for what it could not even look for."""
    async with studio.app.serve("worker"):
        run = await studio.dub.start(Video("a.mp4"))
        seen = await worker.take()
        worker.publish("mux_video", {**seen.json, "step": "mux_video", **odd})
        worker.answer(seen, ["no"], changes=odd)
        worker.answer(seen, ["hi", "ho"])
        assert await run.result(timeout=PATIENCE) == "HI! HO!"
    assert sorted(heard.told, key=str) == sorted(DONE, key=str)
