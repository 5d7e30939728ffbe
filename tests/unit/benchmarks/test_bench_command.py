import asyncio

import pytest

from goatherd import Goatherd
from goatherd.cli.bench import MEANINGS, figures_table
from goatherd.cli.bench_run import Figures, check_unshared, figures_of, scratch_settings
from goatherd.cli.bench_worker import Record, Start, Tape, scratch_app
from goatherd.cli.output import Failed
from goatherd.model.topology import QueueState

MILLISECOND = 1_000_000


def queue(*, ready: int = 0, consumers: int = 0) -> QueueState:
    return QueueState(
        name="shop.bench", ready=ready, delayed=0, running=0, consumers=consumers, oldest_age=None, dead=0, paused=False
    )


def test_figures_come_from_seconds_and_starts() -> None:
    drained = Record(marks=[(number * MILLISECOND, 0) for number in range(101)], cpu_ns=5 * MILLISECOND)
    idle = Record(marks=[(number + 2 * MILLISECOND, number) for number in range(100)], cpu_ns=0)
    assert figures_of(100, [1.0, 0.5, 0.25], drained, idle) == Figures(
        jobs=100,
        send_per_second=100.0,
        send_at_once_per_second=200.0,
        send_many_per_second=400.0,
        drain_per_second=1000.0,
        worker_microseconds_per_job=50.0,
        idle_p50_milliseconds=2.0,
        idle_p99_milliseconds=2.0,
    )


def test_every_figure_is_explained_in_the_table() -> None:
    assert set(MEANINGS) == set(Figures.__dataclass_fields__) - {"jobs"}
    figures = Figures(**dict.fromkeys(Figures.__dataclass_fields__, 1))
    assert figures_table(figures).row_count == len(MEANINGS)


@pytest.mark.parametrize(("state", "sent"), [(queue(consumers=1), None), (queue(ready=7), 6), (queue(), 6)])
def test_a_queue_that_others_use_gives_no_figures(state: QueueState, sent: int | None) -> None:
    with pytest.raises(Failed, match="another bench"):
        check_unshared(state, sent)


def test_what_a_killed_run_left_is_no_reason_to_refuse() -> None:
    check_unshared(queue(ready=7))
    check_unshared(queue(ready=6), 6)


async def test_a_tape_gives_a_record_after_the_wanted_number_of_starts() -> None:
    tape = Tape()
    taking = asyncio.create_task(tape.take(2))
    await asyncio.sleep(0)
    tape.mark(1)
    assert not taking.done()
    tape.mark(2)
    assert [sent for _, sent in (await taking).marks] == [1, 2]


def test_the_scratch_app_has_the_users_settings_and_a_queue_of_its_own() -> None:
    users = Goatherd("shop", concurrency=5, broker_url="sqlite:///shop.db").settings
    app, job = scratch_app(Start(app="shop.bench", settings=scratch_settings(users, "shop.bench"), records=[]))
    assert (app.settings.broker_url, app.settings.concurrency) == ("sqlite:///shop.db", 5)
    assert [queue.name for queue in app.contracts()] == ["shop.bench"]
    assert job.definition.queue == "shop.bench"
