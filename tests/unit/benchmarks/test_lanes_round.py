from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from benchmarks.lanes.measures import turned_around
from benchmarks.lanes.places import REDIS
from benchmarks.measures import Plan, Sample
from benchmarks.rounds import measure
from benchmarks.settings import Entry
from scripts.servers.addresses import redis_url

SHORT = Plan(jobs=100, repeat=1, beats=3, keys=2000)
FIGURES = {"fill", "drain", "drain_cpu", "idle_cpu"}


async def sample_of(setting: str, name: str, room: Path) -> Sample:
    entry = Entry(setting=setting, name=name)
    return await measure(entry, entry.load(), room, SHORT)


def check(sample: Sample) -> None:
    assert set(sample) == FIGURES | {"latencies"}
    assert all(isinstance(sample[name], float) for name in FIGURES)
    assert isinstance(sample["latencies"], list)
    assert len(sample["latencies"]) == SHORT.beats


async def test_a_round_on_a_file_gives_every_figure(tmp_path: Path) -> None:
    check(await sample_of("lanes", "goatherd_sqlite", tmp_path))


async def test_many_keys_come_and_go_and_leave_nothing(tmp_path: Path) -> None:
    sample = await sample_of("lanes_keys", "goatherd_sqlite", tmp_path)
    assert sample["keys"] == 200.0
    sizes = [sample[f"size_{name}"] for name in ("before", "top", "between", "again", "after")]
    before, top, between, again, after = [size for size in sizes if isinstance(size, float)]
    assert before <= between < top
    assert after < again


@pytest.mark.servers("redis")
@pytest.mark.xdist_group("redis")
async def test_the_plain_design_does_every_job_while_nobody_dies(tmp_path: Path) -> None:
    # Elsewhere on the server than all other tests.
    (tmp_path / REDIS).write_text(urlunsplit(urlsplit(redis_url())._replace(path="/9")))
    check(await sample_of("lanes", "plain", tmp_path))


def test_a_job_that_begins_after_a_later_one_of_its_key_is_noticed() -> None:
    def marks(*numbers: int) -> list[tuple[int, int]]:
        return [(moment, number) for moment, number in enumerate(numbers)]

    assert turned_around(marks(2, 1, 4, 3, 5, 6), keys=2) == []
    assert turned_around(marks(1, 2, 5, 3, 4), keys=2) == [3]
