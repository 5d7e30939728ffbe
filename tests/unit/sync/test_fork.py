"""After a fork the child has an I/O thread of its own and touches nothing of its parent's."""

import asyncio
from pathlib import Path

import pytest

from goatherd import Goatherd
from tests.unit.sync.program import run

#: One child as gunicorn makes it: it ends with sys.exit, so functions of atexit are called.
FORK = """
def fork(work):
    child = os.fork()
    if child == 0:
        work()
        sys.stdout.flush()
        sys.exit(0)
    return child

def wait_for(children):
    for child in children:
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0, status
"""


def jobs_in(folder: Path) -> int:
    app = Goatherd("shop", broker_url=f"sqlite:///{folder}/jobs.db")

    async def ready() -> int:
        async with app:
            return sum(queue.ready for queue in await app.session().ports.operations.queues())

    return asyncio.run(ready())


def test_children_of_a_program_that_has_used_it_use_it_too(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        FORK,
        """
        blocking(double).send(0)

        def work():
            ids = [blocking(double).send(number) for number in range(50)]
            say("child", len(set(ids)), blocking(app).health().ready)

        children = [fork(work) for _ in range(4)]
        for number in range(50):
            blocking(double).send(number)
        wait_for(children)
        say("parent", blocking(app).health().queues["shop"].depth)
        """,
    )
    assert sorted(told.splitlines()) == ["child 50 True"] * 4 + ["parent 251"]
    assert jobs_in(tmp_path) == 251


def test_threads_that_wait_in_the_parent_are_served_whatever_its_children_do(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        FORK,
        """
        @app.task
        async def slow(number: int) -> int:
            import asyncio
            await asyncio.sleep(0.5)
            return number

        with blocking(app).serve("worker"):
            answers = []
            threads = [
                threading.Thread(target=lambda n=n: answers.append(blocking(slow).call(n) == n)) for n in range(20)
            ]
            for thread in threads:
                thread.start()
            children = [fork(lambda: say("child", blocking(slow).call(7))) for _ in range(3)]
            for thread in threads:
                thread.join()
            wait_for(children)
        say("parent", answers == [True] * 20)
        """,
    )
    assert sorted(told.splitlines()) == ["child 7"] * 3 + ["parent True"]


def test_a_fork_in_the_middle_of_everything_locks_up_nobody(tmp_path: Path) -> None:
    """Threads send all the time, so that forks meet every lock held now and then."""
    told = run(
        tmp_path,
        FORK,
        """
        stopping = threading.Event()
        sent = [0] * 4

        def sending(place):
            # Without a pause the children would wait long for the file, which only one process at a time can write.
            while not stopping.wait(0.001 * place):
                blocking(double).send(place)
                sent[place] += 1
                if place == 3:
                    blocking(app).close()

        threads = [threading.Thread(target=sending, args=(place,), daemon=True) for place in range(1, 4)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            wait_for([fork(lambda: blocking(double).send(1))])
        stopping.set()
        for thread in threads:
            thread.join()
        say(blocking(app).health().queues["shop"].depth - sum(sent))
        """,
    )
    assert told.splitlines() == ["20"]


def test_a_grandchild_is_served_too(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        FORK,
        """
        def child():
            blocking(double).send(1)
            wait_for([fork(lambda: say("grandchild", len(blocking(double).send(2))))])

        blocking(double).send(0)
        wait_for([fork(child)])
        """,
    )
    assert told.splitlines() == ["grandchild 36"]
    assert jobs_in(tmp_path) == 3


def test_the_end_of_a_with_block_in_a_child_stops_nothing_in_the_parent(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        FORK,
        """
        with blocking(app).serve("worker") as shop:
            children = [fork(lambda: None)]
            wait_for(children)
            child = os.fork()
            if child:
                wait_for([child])
                say("parent", blocking(double).call(4))
        if not child:
            sys.exit(0)
        """,
    )
    assert told.splitlines() == ["parent 8"]


def test_a_program_that_forks_from_a_served_task_goes_on(tmp_path: Path) -> None:
    told = run(
        tmp_path,
        FORK,
        """
        @app.task
        async def forking() -> int:
            child = os.fork()
            if child == 0:
                try:
                    blocking(double).send(7)
                finally:
                    os._exit(0)
            wait_for([child])
            return child

        with blocking(app).serve("worker"):
            say(blocking(forking).call() > 0, blocking(double).call(1))
        """,
    )
    assert told.splitlines() == ["True 2"]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="locks can be seen on Linux only")
def test_a_child_locks_the_file_for_itself(tmp_path: Path) -> None:
    """SQLite's locks belong to a process: a child that went on with its parent's connection would have none."""
    told = run(
        tmp_path,
        FORK,
        """
        import pathlib

        def locks():
            file = str(os.stat("jobs.db").st_ino)
            held = [line.split() for line in pathlib.Path("/proc/locks").read_text().splitlines()]
            return {int(lock[4]) for lock in held if lock[5].split(":")[2] == file}

        def work():
            blocking(double).send(1)
            say("child", os.getpid() in locks())

        blocking(double).send(1)
        wait_for([fork(work)])
        blocking(double).send(1)
        say("parent", locks() == {os.getpid()})
        """,
    )
    assert told.splitlines() == ["child True", "parent True"]
