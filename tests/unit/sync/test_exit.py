"""The interpreter ends within seconds, whatever its threads wait for, and what was accepted is safe."""

import socket
import time
from pathlib import Path

import pytest

from tests.unit.sync.program import run
from tests.unit.sync.test_fork import jobs_in


def test_a_program_that_has_sent_ends_at_once_and_in_silence(tmp_path: Path) -> None:
    began = time.monotonic()
    assert run(tmp_path, "blocking(double).send(1)") == ""
    assert time.monotonic() - began < 5
    assert jobs_in(tmp_path) == 1


def test_calls_that_wait_in_daemon_threads_do_not_delay_the_end(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
        import atexit
        atexit.register(lambda: print("%.0f" % ((time.monotonic() - ended) // 5)))

        def call(number):
            try:
                blocking(double).options(deadline=600).call(number)
            except Unavailable as error:
                print(error)

        blocking(double).send(1)
        for number in range(20):
            threading.Thread(target=call, args=(number,), daemon=True).start()
        while not any(session.calls.in_flight == 20 for session in app._sessions.values()):
            pass
        ended = time.monotonic()
        """,
        timeout=15,
    )
    assert told.splitlines()[0] == "0"


@pytest.mark.parametrize("verb", ["send", "call"])
def test_a_broker_that_does_not_answer_does_not_delay_the_end(tmp_path: Path, verb: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        began = time.monotonic()
        run(
            tmp_path,
            f"""
            def send():
                try:
                    blocking(double).{verb}(1)
                except Unavailable:
                    pass

            for number in range(20):
                threading.Thread(target=send, daemon=True).start()
            """,
            url=f"amqp://127.0.0.1:{mute.getsockname()[1]}/?connection_timeout=60",
        )
    assert time.monotonic() - began < 12


def test_a_stuck_loop_does_not_keep_the_interpreter(tmp_path: Path) -> None:
    began = time.monotonic()
    told = run(
        tmp_path,
        """
        @app.task
        async def careless() -> None:
            print("stuck", flush=True)
            time.sleep(600)

        blocking(app).serve("worker")
        app.settings.grace_period
        threading.Thread(target=lambda: blocking(careless).call(), daemon=True).start()
        time.sleep(2)
        from goatherd.sync import process
        process.EXIT_PATIENCE = -19.0
        """,
    )
    assert told.startswith("stuck\n")
    assert "The I/O thread did not end in time" in told
    assert time.monotonic() - began < 12


def test_threads_that_are_no_daemons_finish_what_they_do(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
        def send():
            time.sleep(0.5)
            for number in range(10):
                blocking(double).send(number)

        threading.Thread(target=send).start()
        """,
    )
    assert jobs_in(tmp_path) == 10


def test_functions_of_atexit_may_still_send(tmp_path: Path) -> None:
    """Those registered after goatherd.sync was imported, for they are called before it is closed."""
    told = run(
        tmp_path,
        """
        import atexit
        blocking(double).send(1)
        atexit.register(lambda: print("late", len(blocking(double).send(2))))
        """,
    )
    assert told == "late 36\n"
    assert jobs_in(tmp_path) == 2


def test_after_the_end_a_verb_says_so(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text("import atexit\nsteps = []\natexit.register(lambda: [s() for s in steps])\n")
    told = run(
        tmp_path,
        """
        def last():
            try:
                blocking(double).send(3)
            except Unavailable as error:
                print(error)
            print(blocking(app).health().loop_alive)

        blocking(double).send(1)
        early.steps.append(last)
        """,
        first="import early",
    )
    assert told.startswith("The interpreter is ending and the I/O thread of goatherd.sync is closed")
    assert told.endswith("False\n")


def test_what_is_served_ends_in_good_order(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        """
        import asyncio
        begun = threading.Event()

        @app.task
        async def slow() -> None:
            begun.set()
            await asyncio.sleep(1)
            print("done", flush=True)

        @app.lifespan
        async def life():
            yield
            print("unloaded", flush=True)

        blocking(app).serve("worker")
        blocking(slow).send()
        begun.wait()
        """,
    )
    assert told == "done\nunloaded\n"
    assert jobs_in(tmp_path) == 0
