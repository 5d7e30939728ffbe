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

from goatherd.engine.context import BlockingContext, current
from goatherd.engine.lifespans import Lifespans
from goatherd.engine.processes import Answer, Home, Request
from goatherd.model.formats import Work
from goatherd.model.retry import Retry
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Fault
from goatherd.ports.clock import SystemClock

_DIE_WITH_PARENT = 1


def main(descriptor: int) -> None:
    """Serve until the parent closes the socket."""
    # Ctrl-C reaches the whole terminal group, and service managers stop a whole group too; what happens to the job is
    # the parent's decision. Signals are taken and dropped, for programs that a job starts would inherit an "ignore".
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: None)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rwb") as stream:
        stream.write(b"{}\n")
        stream.flush()
        lifespans = Lifespans()
        for line in stream:
            answer = _answer(msgspec.json.decode(line, type=Request), lifespans)
            stream.write(msgspec.json.encode(answer) + b"\n")
            stream.flush()
        lifespans.leave()


def _answer(request: Request, lifespans: Lifespans) -> Answer:
    retry = Retry()
    try:
        holder = _find(request.home)
        task: TaskDefinition = holder.definition
        retry = task.retry
        lifespans.enter(holder.app, holder.app.lifespans)
        if request.work is None:
            return Answer()
        positional, named = _arguments(holder.app, task, request.work, request.remaining)
        result = task.function(*positional, **named)
        return Answer(result=msgspec.Raw(task.signature.encode_result(result)))
    except BaseException as error:  # noqa: BLE001 - whatever a task raises is its failure
        return Answer(fault=asdict(Fault.of(error, retry)))


def _arguments(app: object, task: TaskDefinition, work: Work, remaining: float | None) -> Arguments:
    payload = task.signature.by_name(work.positional, work.payload) if work.positional else work.payload
    arguments = task.signature.decode(payload)
    clock = SystemClock()
    until = None if remaining is None else clock.now() + remaining
    context = BlockingContext(app, task.name, task.queue, work, clock, until)
    current.set(context)
    if task.wants != "blocking context":
        return arguments
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
