"""The main program of a child process: reads jobs from a socket, runs them, writes what became of them."""

import ctypes
import importlib
import importlib.util
import signal
import socket
import sys
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import msgspec

from goatherd.engine.context import BlockingContext
from goatherd.engine.processes import Answer, Home, Request
from goatherd.model.retry import Retry
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Fault
from goatherd.ports.clock import SystemClock

_DIE_WITH_PARENT = 1


def main(descriptor: int) -> None:
    """Serve until the parent closes the socket."""
    # Ctrl-C reaches the whole terminal group; what happens to the job is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rwb") as stream:
        stream.write(b"{}\n")
        stream.flush()
        for line in stream:
            answer = _answer(msgspec.json.decode(line, type=Request))
            stream.write(msgspec.json.encode(answer) + b"\n")
            stream.flush()


def _answer(request: Request) -> Answer:
    try:
        holder = _find(request.home)
    except Exception as error:  # noqa: BLE001 - told to the parent, which knows the task's rule
        return Answer(fault=asdict(Fault.of(error, Retry())))
    task: TaskDefinition = holder.definition
    try:
        positional, named = _arguments(holder.app, task, request)
        result = task.function(*positional, **named)
        return Answer(result=msgspec.Raw(task.signature.encode_result(result)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a task raises is its failure
        raised = error if isinstance(error, Exception) else RuntimeError(f"the task called sys.exit({error})")
        return Answer(fault=asdict(Fault.of(raised, task.retry)))


def _arguments(app: object, task: TaskDefinition, request: Request) -> Arguments:
    work = request.work
    payload = task.signature.by_name(work.positional, work.payload) if work.positional else work.payload
    arguments = task.signature.decode(payload)
    if task.wants != "blocking context":
        return arguments
    clock = SystemClock()
    until = None if request.remaining is None else clock.now() + request.remaining
    context = BlockingContext(app, task.name, task.queue, work, clock, until)
    return Arguments((context, *arguments.positional), arguments.named)


@lru_cache
def _find(home: Home) -> Any:
    found: Any = _load(home.module)
    for part in home.qualname.split("."):
        found = getattr(found, part)
    return found


@lru_cache
def _load(module: str) -> Any:
    if not module.endswith(".py"):
        return importlib.import_module(module)
    spec = importlib.util.spec_from_file_location("__goatherd_main__", module)
    if spec is None or spec.loader is None:
        raise ImportError(f"{module} cannot be loaded")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


if __name__ == "__main__":
    main(int(sys.argv[1]))
