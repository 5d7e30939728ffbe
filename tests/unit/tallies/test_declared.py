"""What programs say about tallies, and what is wrong with it."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import pytest

from goatherd import Context, Goatherd, Retry, Tally
from goatherd.errors import DefinitionError, InvalidArguments, NotOpen
from goatherd.model.tally import LARGEST, Batch, job_id


def test_a_flush_is_a_task_with_a_lane_for_each_key(app: Goatherd, gifts: Tally) -> None:
    queue = app.queue("gifts", format="plain")

    @gifts.flush(every=5, queue=queue, retry=Retry(7), timeout=30)
    async def apply_gifts(ctx: Context, streamer_id: str, bcoins: int) -> None: ...

    task = app.tasks["apply_gifts"].definition
    assert (task.queue, task.retry.retries, task.timeout) == ("gifts", 7, 30.0)
    assert task.lane is not None
    assert task.lane.on_exhausted == "hold"
    job = apply_gifts.job("ann", 100)
    assert job.lane == "gifts/streamer_id=ann"
    assert job.payload == b'{"streamer_id":"ann","bcoins":100}'
    flush = gifts.flush_of()
    assert flush is not None
    assert (flush.tally, flush.every, flush.task) == ("pending_gift", 5.0, task)


def test_a_remote_flush_has_no_lane(app: Goatherd, gifts: Tally) -> None:
    @gifts.flush(every=5, remote=True)
    async def apply_gifts(streamer: str, total: int) -> None: ...

    assert app.tasks["apply_gifts"].definition.lane is None
    assert app.tasks["apply_gifts"].definition.remote


def test_a_tally_may_be_without_a_flush(app: Goatherd, gifts: Tally) -> None:
    assert gifts.flush_of() is None
    assert repr(gifts) == "<Tally pending_gift of shop>"
    assert (gifts.app, gifts.name) == (app, "pending_gift")


def test_totals_go_to_one_task_only(gifts: Tally) -> None:
    @gifts.flush(every=5)
    async def apply_gifts(streamer: str, total: int) -> None: ...

    with pytest.raises(DefinitionError, match=r"'pending_gift' is flushed by 'apply_gifts' already"):

        @gifts.flush(every=5)
        async def apply_again(streamer: str, total: int) -> None: ...


def test_names_are_unique_and_printable(app: Goatherd, gifts: Tally) -> None:
    with pytest.raises(DefinitionError, match="two tallies named 'pending_gift'"):
        app.tally("pending_gift")
    for name in ("", "a\nb", "x" * 101):
        with pytest.raises(DefinitionError, match="use up to 100 bytes of printable text"):
            app.tally(name)


async def nothing() -> None: ...
async def one(key: str) -> None: ...
async def four(a: str, b: str, c: str, d: int) -> None: ...
async def by_name(key: str, *, total: int) -> None: ...
async def any_number(key: str, *totals: int) -> None: ...


@pytest.mark.parametrize("function", [nothing, one, four, by_name, any_number])
def test_what_cannot_take_a_key_and_a_total_is_refused_at_once(gifts: Tally, function: Callable[..., Any]) -> None:
    with pytest.raises(DefinitionError, match="must take a key and its total"):
        gifts.flush(every=5)(function)


async def turned_round(total: int, key: str) -> None: ...
async def three(a: str, b: str, c: int) -> None: ...
async def choosy(key: Annotated[str, msgspec.Meta(max_length=3)], total: int) -> None: ...
async def text(key: str, total: str) -> None: ...


@pytest.mark.parametrize("function", [turned_round, three, choosy, text])
def test_what_would_not_take_every_key_and_total_is_refused_at_start(
    gifts: Tally, function: Callable[..., Any]
) -> None:
    gifts.flush(every=5)(function)
    with pytest.raises(DefinitionError, match="must take a key and its total"):
        gifts.flush_of()


@pytest.mark.parametrize("every", [0, -1, "soon"])
def test_the_time_between_two_flushes_is_above_zero(gifts: Tally, every: Any) -> None:
    with pytest.raises(DefinitionError, match="every"):
        gifts.flush(every=every)


WRONG: list[tuple[Any, Any, Any, str]] = [
    ("", 1, None, "key: it is empty"),
    (7, 1, None, r"key: it must be text, but it is 7; write str\(...\)"),
    ("ä" * 101, 1, None, "key: it may have up to 200 bytes"),
    ("a\0b", 1, None, "key: .* no NUL"),
    ("\ud800", 1, None, "key: it may have"),
    ("ann", 1.5, None, "amount: it must be a whole number, but it is 1.5; count in the smallest unit"),
    ("ann", True, None, "amount: it must be a whole number"),
    ("ann", "100", None, "amount: it must be a whole number"),
    ("ann", LARGEST + 1, None, "amount: it may be up to 9,007,199,254,740,991 in either direction"),
    ("ann", -LARGEST - 1, None, "amount: it may be up to"),
    ("ann", 1, "", "id: it is empty"),
    ("ann", 1, 7, "id: it must be text"),
    ("ann", 1, "x" * 201, "id: it may have up to 200 bytes"),
    ("", "x", 7, "key: .*; amount: .*; id: "),
]


@pytest.mark.parametrize(("key", "amount", "id", "told"), WRONG)
async def test_a_wrong_addition_is_explained_and_nothing_is_counted(
    gifts: Tally, key: Any, amount: Any, id: Any, told: str
) -> None:
    with pytest.raises(InvalidArguments, match=f"'pending_gift.add': {told}"):
        await gifts.add(key, amount, id=id)


async def test_the_app_must_be_open(gifts: Tally) -> None:
    for amount in (0, 1):
        with pytest.raises(NotOpen):
            await gifts.add("ann", amount)


def test_the_id_of_a_job_is_made_of_its_batch_and_fits() -> None:
    assert job_id("gifts", Batch(key="ann", seq=7, total=1)) == "gifts:ann:7"
    long = job_id("t" * 100, Batch(key="x" * 200, seq=1_794_793_638_129_091, total=1))
    odd = job_id("gifts", Batch(key="a\nb", seq=7, total=1))
    assert len(long) < 255
    assert odd.isprintable()
    assert odd == job_id("gifts", Batch(key="a\nb", seq=7, total=2))
    assert odd != job_id("gifts", Batch(key="a\nc", seq=7, total=1))
