"""The pipeline on the real ffmpeg, with providers that a test has in its hands."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from examples.dubbing.contract import Dubbing, new_task
from examples.dubbing.database.tables import tasks_at
from examples.dubbing.media.film import probe
from examples.dubbing.objects import Objects
from examples.dubbing.providers.provider import Providers
from examples.dubbing.settings import read_settings
from examples.dubbing.troubles import Lasting, Passing
from examples.dubbing.worker import extracting, hearing, muxing, noting, service, speaking, translating
from examples.dubbing.worker.service import dub
from examples.running.database.database import Database
from goatherd import JobFailed
from goatherd.testing import Herd, testing
from tests.examples.dubbing.cast import Cast
from tests.examples.dubbing.conftest import on_s3

pytestmark = pytest.mark.servers("media")

Play: TypeAlias = Callable[[Sequence[str]], Cast]

TWENTY = [f"line {number}" for number in range(20)]


@pytest.fixture
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    """In a folder, or on a server where a test asks for it."""
    if getattr(request, "param", "folder") == "s3":
        return on_s3(request.getfixturevalue("s3"), f"s3://films/{tmp_path.name}")
    return Objects(read_settings({"DUBBING_OBJECTS": str(tmp_path / "objects")}))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Opened by the steps' own lifespan."""
    return tasks_at(f"sqlite:///{tmp_path}/tasks.db")


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, objects: Objects, database: Database) -> Play:
    """Let all steps work with these, and with a cast that hears some lines."""

    def given(lines: Sequence[str]) -> Cast:
        cast = Cast(lines)
        stand_ins: dict[str, Any] = {
            "objects": objects,
            "database": database,
            "providers": Providers(cast, cast, cast),
        }
        for module in (extracting, hearing, translating, speaking, muxing, noting, service):
            for name, value in stand_ins.items():
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, value)
        return cast

    return given


@pytest.fixture
async def herd(play: Play) -> AsyncIterator[Herd]:
    play([])
    async with testing(dub.app) as opened:
        yield opened


@pytest.fixture
async def task(objects: Objects, farm: Path) -> Dubbing:
    made = new_task("", "en", "es")
    await objects.put(made.source_video_key, farm)
    return made


@pytest.mark.parametrize("objects", ["folder", "s3"], indirect=True)
async def test_a_video_is_dubbed_and_every_line_is_given_to_providers_once(
    herd: Herd,
    play: Play,
    task: Dubbing,
    objects: Objects,
    database: Database,
    tmp_path: Path,
) -> None:
    cast = play(TWENTY)
    run = await dub.options(id=task.task_id).start(task)
    await herd.drain(timeout=40)
    assert await run.result(10) == task.output_video_key
    await objects.get(task.output_video_key, tmp_path / "dubbed.mp4")
    assert (await probe(tmp_path / "dubbed.mp4")).picture == "h264"
    assert cast.translated == [TWENTY]
    assert sorted(cast.spoken) == sorted(line.upper() for line in TWENTY)
    assert await database.read("SELECT state, error FROM tasks WHERE id = ?", task.task_id) == [("done", "")]
    rows = await database.read("SELECT idx, src_text, mt_text, tts_audio_key FROM segments ORDER BY idx")
    assert [(idx, src, mt) for idx, src, mt, _ in rows] == [(n, line, line.upper()) for n, line in enumerate(TWENTY)]
    assert [await objects.has(key) for *_, key in rows] == [True] * 20
    assert await attempts(database) == {
        ("extract_audio", "succeeded"): 1,
        ("asr", "succeeded"): 1,
        ("translate", "succeeded"): 1,
        ("tts", "succeeded"): 10,
        ("mux_video", "succeeded"): 1,
    }


async def test_a_batch_that_fails_is_translated_line_by_line_and_a_busy_server_is_asked_again(
    herd: Herd, play: Play, task: Dubbing
) -> None:
    cast = play(TWENTY)
    # The batch, and then the line alone, twice.
    cast.refuses["line 7"] = [Passing("busy"), Passing("busy"), Passing("busy")]
    run = await dub.start(task)
    await herd.drain(timeout=40)
    await herd.advance(60)
    await herd.drain(timeout=40)
    assert await run.status() == "done"
    assert cast.translated[0] == TWENTY
    alone = Counter(line for [line] in cast.translated[1:])
    assert alone == {line: 3 if line == "line 7" else 1 for line in TWENTY}


async def test_a_line_that_cannot_be_spoken_is_stood_in_for_and_the_others_are_spoken_once(
    herd: Herd, play: Play, task: Dubbing, database: Database
) -> None:
    cast = play(TWENTY)
    cast.refuses["LINE 7"] = [Lasting("no such sound") for _ in range(9)]
    run = await dub.start(task)
    await herd.drain(timeout=40)
    # The kit also takes from the queue that the workers of the example leave alone.
    assert await run.status() == "done"
    spoken = Counter(cast.spoken)
    assert spoken.pop("LINE 7") == 2
    assert set(spoken.values()) == {1}
    rows = await database.read("SELECT idx, error FROM segments WHERE tts_audio_key IS NULL")
    assert rows == [(7, "no such sound")]


async def test_a_line_that_cannot_be_translated_fails_the_task_which_says_why(
    herd: Herd, play: Play, task: Dubbing, database: Database
) -> None:
    cast = play(["one", "two"])
    cast.refuses["two"] = [Lasting("no such word") for _ in range(9)]
    run = await dub.options(id=task.task_id).start(task)
    await herd.drain(timeout=40)
    with pytest.raises(JobFailed, match="no such word"):
        await run.result(10)
    [(state, error)] = await database.read("SELECT state, error FROM tasks WHERE id = ?", task.task_id)
    assert (state, error) == ("failed", "translate: Lasting: no such word")
    assert cast.translated == [["one", "two"], ["one"], ["two"]]


async def test_a_video_in_which_nobody_speaks_becomes_silent(herd: Herd, play: Play, task: Dubbing) -> None:
    play([])
    run = await dub.start(task)
    await herd.drain(timeout=40)
    assert await run.result(10) == task.output_video_key


async def test_what_is_made_already_is_not_made_again(
    herd: Herd, play: Play, task: Dubbing, objects: Objects, database: Database
) -> None:
    cast = play(["one", "two"])
    run = await dub.options(id=task.task_id).start(task)
    await herd.drain(timeout=40)
    assert await run.status() == "done"
    await run.resume_from("asr")
    cast.lines = ["one", "three"]
    await herd.drain(timeout=40)
    assert cast.translated == [["one", "two"], ["three"]]
    assert cast.spoken == ["ONE", "TWO", "THREE"]
    rows = await database.read("SELECT mt_text FROM segments ORDER BY idx")
    assert rows == [("ONE",), ("THREE",)]
    numbers = await database.read("SELECT attempt FROM task_steps WHERE step = 'asr' ORDER BY attempt")
    assert numbers == [(1,), (2,)]


async def attempts(database: Database) -> dict[tuple[str, str], int]:
    rows = await database.read("SELECT step, state, count(*) FROM task_steps GROUP BY step, state")
    return {(step, state): count for step, state, count in rows}
