"""Functions in processes of their own: killable, and no danger to the worker."""

import asyncio
import importlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from goatherd import Goatherd
from goatherd.engine import processes
from goatherd.engine.admission import Admitted
from goatherd.engine.processes import Child, ChildDied, Home, Processes, RemoteFault
from goatherd.errors import DefinitionError
from goatherd.model.formats import Work
from goatherd.model.message import DEATHS
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from tests.unit.engine import program as program_module
from tests.unit.engine.stage import PATIENCE, at_work


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, loaded anew for this test."""
    monkeypatch.setenv("GOATHERD_BROKER_URL", f"sqlite:///{tmp_path}/jobs.db")
    return importlib.reload(program_module)


@pytest.fixture
async def children() -> AsyncIterator[Processes]:
    made = Processes()
    yield made
    await made.close()


def work(arguments: dict[str, Any]) -> Work:
    return Work(job_id="j1", task="it", payload=msgspec.Raw(msgspec.json.encode(arguments)), created=0.0)


def admitted(task: TaskDefinition, arguments: dict[str, Any]) -> Admitted:
    return Admitted(task=task, work=work(arguments), arguments=Arguments((), arguments))


async def run(children: Processes, task: Any, **arguments: Any) -> object:
    definition: TaskDefinition = task.definition
    async with children.seat(definition) as child:
        return await child.run(admitted(definition, arguments), None)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_result_comes_back_as_the_type_that_was_declared(program: ModuleType, children: Processes) -> None:
    assert await run(children, program.resize, size=program.Size(2, 3)) == program.Size(4, 6)
    assert await run(children, program.resize, size=program.Size(2, 3), factor=5) == program.Size(10, 15)


async def test_a_process_is_used_again(program: ModuleType, children: Processes) -> None:
    first = await run(children, program.whereabouts)
    assert first != os.getpid()
    assert await run(children, program.whereabouts) == first


async def test_the_apps_lifespans_are_entered_once_in_each_process(program: ModuleType, children: Processes) -> None:
    assert await run(children, program.what_is_prepared) == ["ready"]
    assert await run(children, program.what_is_prepared) == ["ready"]


async def test_lifespans_are_left_when_the_worker_ends(
    program: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    farewell = tmp_path / "farewell"
    monkeypatch.setenv("FAREWELL", str(farewell))
    children = Processes()
    await run(children, program.what_is_prepared)
    await children.close()
    assert farewell.read_text() == "left"


async def test_one_that_does_not_end_by_itself_is_killed(
    program: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "LAST_MOMENT", 0.05)
    monkeypatch.setenv("FAREWELL", "never")
    children = Processes()
    pid = await run(children, program.whereabouts)
    assert isinstance(pid, int)
    async with asyncio.timeout(PATIENCE):
        await children.close()
    assert not lives(pid)


async def test_jobs_at_the_same_time_have_a_process_each(program: ModuleType, children: Processes) -> None:
    task = program.whereabouts.definition
    async with children.seat(task) as one, children.seat(task) as other:
        assert await one.run(admitted(task, {}), None) != await other.run(admitted(task, {}), None)


async def test_an_error_comes_back_with_its_traceback_and_the_process_goes_on(
    program: ModuleType, children: Processes
) -> None:
    where = await run(children, program.whereabouts)
    for how, told in (("error", "no file 'a\\udc80'"), ("exit", "the task called sys.exit(3)")):
        with pytest.raises(RemoteFault) as caught:
            await run(children, program.broken, how=how)
        assert caught.value.fault.message == told
        assert "in broken" in caught.value.fault.traceback
    assert await run(children, program.whereabouts) == where


async def test_a_result_that_is_no_json_is_an_error_of_the_job(program: ModuleType, children: Processes) -> None:
    with pytest.raises(RemoteFault, match="cannot be written as JSON"):
        await run(children, program.unsendable)


@pytest.mark.parametrize(
    ("how", "told"), [("kill -9", "was killed by SIGKILL"), ("exit", "ended by itself with exit code 7")]
)
async def test_a_process_that_dies_says_how(program: ModuleType, children: Processes, how: str, told: str) -> None:
    with pytest.raises(ChildDied, match=told):
        await run(children, program.dies, how=how)
    assert await run(children, program.whereabouts)


async def test_a_process_that_died_while_it_had_nothing_to_do_harms_no_job(
    program: ModuleType, children: Processes
) -> None:
    first = await run(children, program.whereabouts)
    assert isinstance(first, int)
    [child] = children._idle
    os.kill(first, signal.SIGKILL)
    await child._process.wait()
    assert await run(children, program.whereabouts) != first


async def test_signals_to_the_whole_group_leave_the_decision_to_the_parent(
    program: ModuleType, children: Processes
) -> None:
    assert await run(children, program.signalled) == "SIG_DFL"


async def test_a_task_that_is_called_inside_of_a_job_has_the_jobs_context(
    program: ModuleType, children: Processes
) -> None:
    assert await run(children, program.nested) is True


async def test_a_process_that_does_not_start_is_not_waited_for_for_ever(
    program: ModuleType, children: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "START_DEADLINE", 0.001)
    with pytest.raises(ChildDied, match="was not ready within"):
        await run(children, program.whereabouts)
    assert not children._all


async def test_leaving_ends_every_process(program: ModuleType) -> None:
    children = Processes()
    pid = await run(children, program.whereabouts)
    assert isinstance(pid, int)
    await children.close()
    assert not lives(pid)


async def test_a_function_that_another_process_cannot_find_is_told_at_start(app: Goatherd) -> None:
    @app.task(executor="process")
    def local() -> None: ...

    with pytest.raises(DefinitionError, match=r"Define it with @app\.task at the top of a module"):
        Home.of(local.definition)
    with pytest.raises(DefinitionError, match="another process cannot find it"):
        await at_work(app).__aenter__()


async def test_an_unknown_program_is_an_error_of_the_job(program: ModuleType) -> None:
    child = await Child.start()
    try:
        answer = await child._ask(processes.Request(Home("no_such_module", "it"), work({})))
    finally:
        await child.kill()
    assert answer.fault is not None
    assert answer.fault["error_type"] == "ModuleNotFoundError"


async def test_a_program_that_is_run_as_a_script_can_use_processes_too(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    running = await asyncio.create_subprocess_exec(
        sys.executable, script, stdout=asyncio.subprocess.PIPE, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}
    )
    try:
        async with asyncio.timeout(PATIENCE):
            told, _ = await running.communicate()
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    assert told.decode().split() == ["doubled", "8"]


SCRIPT = """
import asyncio
from goatherd import Goatherd, sync

app = Goatherd("script")
done = asyncio.Event()

@app.task(executor="process")
def double(ctx: sync.Context, number: int) -> int:
    print("doubled", 2 * number, flush=True)
    return 2 * number

@app.around
async def notice(ctx):
    yield
    done.set()

async def main():
    async with app.serve("worker"):
        await double.send(4)
        await done.wait()

if __name__ == "__main__":
    asyncio.run(main())
"""


# --- in a worker ----------------------------------------------------------------------------------------------------


async def test_a_time_out_kills_the_process(program: ModuleType, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    async with at_work(program.app) as stage:
        await program.endless.send(str(marker))
        letter = await stage.letter()
        assert not lives(int(marker.read_text(encoding="utf-8")))
    assert letter.error_type == "TimeoutError"


async def test_the_start_of_a_process_takes_no_time_from_the_job(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROGRAM_IMPORT_SECONDS", "1.2")
    async with at_work(program.app) as stage:
        await program.quick.send()
        await stage.saw("acked")


async def test_a_job_that_kills_its_process_three_times_is_given_up_and_bystanders_are_not(
    program: ModuleType,
) -> None:
    async with at_work(program.app) as stage:
        await program.dies.send("kill -9")
        await program.app.send_many(program.bystander.job() for _ in range(20))
        letter = await stage.letter()
        await stage.saw("acked", 20)
    assert [message.headers[DEATHS] for message in stage.following] == [1, 2]
    assert (letter.reason, letter.error_type, letter.task, letter.attempts) == ("crashed", "WorkerDied", "dies", 3)
    assert "3 processes died while they ran it" in letter.message
    assert "was killed by SIGKILL" in letter.message


async def test_an_error_in_a_process_is_a_dead_letter_with_its_traceback(program: ModuleType) -> None:
    async with at_work(program.app) as stage:
        await program.broken.send("error")
        letter = await stage.letter()
    assert (letter.reason, letter.error_type) == ("failed", "FileNotFoundError")
    assert "in broken" in letter.traceback
