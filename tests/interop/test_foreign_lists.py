"""Lists that foreign workers give, and queues of others that are not there."""

from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry
from goatherd.errors import JobFailed
from tests.interop.pika_program import PikaProgram, Seen

pytestmark = pytest.mark.servers

PATIENCE = 30.0


@pytest.fixture
def app(url: str, tmp_path: Path) -> Goatherd:
    file = f"sqlite:///{tmp_path}/records.db"
    return Goatherd("press", broker_url=url, records_url=file, events_url=file)


def answer(pika: PikaProgram, seen: Seen, result: Any) -> None:
    pika.send(seen.properties.reply_to, {**seen.json, "payload": result})


async def test_the_next_message_brings_the_whole_list_of_a_map(app: Goatherd, pika: PikaProgram) -> None:
    """It is about the whole step, which workers never do as such; however often it comes, each item is done once."""
    done: list[str] = []
    press = app.pipeline("press", takes=str, gives=list[str])

    @press.step(after=press.input, queue=app.queue("listen"), remote=True)
    async def listen(key: str) -> list[str]:
        raise NotImplementedError

    @press.map(over=listen, queue=app.queue("write"))
    async def write(word: str) -> str:
        done.append(word)
        return word.upper()

    async with app.serve("worker"):
        run = await press.start("a")
        seen = await pika.take_meanwhile("listen")
        following = {"task_id": run.id, "step": "write", "payload": {"word": ["hi", "ho"]}}
        for _ in range(20):
            pika.send("write", following)
        assert await run.result(timeout=PATIENCE) == ["HI", "HO"]
        answer(pika, seen, ["late"])
        pika.send("write", following)
        # Another run passes through the same queues after them.
        other = await press.start("b")
        answer(pika, await pika.take_meanwhile("listen"), [])
        assert await other.result(timeout=PATIENCE) == []
    assert sorted(done) == ["hi", "ho"]


@pytest.mark.timeout(90)
async def test_a_foreign_queue_that_is_missing_costs_no_attempt(app: Goatherd, pika: PikaProgram) -> None:
    """Nobody can be told of the step: it waits for the queue, and not for its time-out."""
    press = app.pipeline("press", takes=str, gives=str)
    pika.channel.queue_declare("theirs", durable=True)

    @press.step(after=press.input, queue=app.queue("theirs", passive=True), remote=True, timeout=600, retry=Retry(0))
    async def write(word: str) -> str:
        raise NotImplementedError

    @press.step(after=write)
    async def close(word: str) -> str:
        return word

    async with app.serve("worker"):
        pika.channel.queue_delete("theirs")
        run = await press.start("a")
        with pytest.raises(TimeoutError):
            await run.result(timeout=1.5)
        pika.channel.queue_declare("theirs", durable=True)
        seen = await pika.take_meanwhile("theirs")
        assert seen.json["attempt"] == 1
        answer(pika, seen, "A")
        assert await run.result(timeout=PATIENCE) == "A"


@pytest.mark.timeout(90)
async def test_a_missing_queue_of_one_pipeline_does_not_keep_others_waiting(app: Goatherd, pika: PikaProgram) -> None:
    abroad, here = app.pipeline("abroad", takes=str, gives=str), app.pipeline("here", takes=int, gives=int)
    pika.channel.queue_declare("theirs", durable=True)

    @abroad.step(after=abroad.input, queue=app.queue("theirs", passive=True))
    async def write(word: str) -> str:
        return word

    @here.step(after=here.input, queue="ours")
    async def up(number: int) -> int:
        return number + 1

    async with app.serve("worker"):
        pika.channel.queue_delete("theirs")
        stuck = await abroad.start("a")
        for number in range(5):
            run = await here.start(number)
            assert await run.result(timeout=PATIENCE) == number + 1
        assert await stuck.cancel()
        with pytest.raises(JobFailed):
            await stuck.result(timeout=PATIENCE)
