"""The threads of the I/O loop for what blocks."""

import threading
from concurrent.futures import wait

import pytest

from goatherd.sync.pool import MOST, DaemonPool


def test_idle_threads_are_used_again() -> None:
    pool = DaemonPool()
    names = set()
    for number in range(20):
        future = pool.submit(lambda n: (threading.current_thread(), n), number)
        thread, result = future.result(10)
        assert (result, thread.daemon) == (number, True)
        names.add(thread.name)
        pool.submit(int).result(10)
    assert len(names) <= 2
    pool.shutdown()


def test_it_has_at_most_so_many_threads_and_forgets_nothing() -> None:
    pool, held = DaemonPool(), threading.Event()
    blocked = [pool.submit(held.wait, 10) for _ in range(2 * MOST)]
    made = {thread for thread in threading.enumerate() if thread.name.startswith("goatherd-io-")}
    assert len(made) >= MOST
    held.set()
    assert not wait(blocked, 10).not_done
    pool.shutdown()


def test_errors_and_cancelled_calls_reach_whoever_waits() -> None:
    pool, held = DaemonPool(), threading.Event()
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 // 0).result(10)
    busy = [pool.submit(held.wait, 10) for _ in range(MOST)]
    waiting = pool.submit(print, "never")
    assert waiting.cancel()
    held.set()
    assert not wait(busy, 10).not_done
    pool.shutdown()
