"""Tallies that threads add to."""

import threading

import pytest

from goatherd import Goatherd, Tally
from goatherd.errors import InvalidArguments
from goatherd.sync import blocking
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.unanswered import not_accepted


@pytest.fixture
def gifts(app: Goatherd) -> Tally:
    return app.tally("gifts")


def waiting(app: Goatherd) -> tuple[int, int]:
    async def look() -> tuple[int, int]:
        return await (await app.session().recurring.tallies()).waiting("gifts")

    errand = Errand("look", app, look)
    return ask(errand, 10, not_accepted(errand))


def test_threads_add_and_each_id_counts_once(app: Goatherd, gifts: Tally) -> None:
    def give() -> None:
        blocking(gifts).add("ann", 5, id="gift-1")
        blocking(gifts).add("bob", 1)

    threads = [threading.Thread(target=give) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert waiting(app) == (2, 9)
    assert repr(blocking(gifts)) == "blocking(<Tally gifts of shop>)"


def test_a_mistake_is_told_at_once(gifts: Tally) -> None:
    with pytest.raises(InvalidArguments, match=r"'gifts\.add': amount: "):
        blocking(gifts).add("ann", 1.5)  # type: ignore[arg-type]


async def test_not_on_the_thread_of_a_loop(gifts: Tally) -> None:
    with pytest.raises(RuntimeError, match=r"use `await gifts.add\(...\)` here"):
        blocking(gifts).add("ann", 1)
