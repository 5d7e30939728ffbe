"""The main program of a child process: reads jobs from a socket, runs them, writes what became of them."""

import ctypes
import importlib
import importlib.util
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import msgspec

from goatherd.engine.context import BlockingContext, current
from goatherd.engine.lifespans import Lifespans
from goatherd.engine.processes import Answer, Home, Request, StageTold, TokenTold, Word
from goatherd.engine.said import percent_of, size_of, word_of
from goatherd.engine.ticket import Ticket
from goatherd.model.formats import Work
from goatherd.model.retry import Retry
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import Carrier
from goatherd.model.verdict import Fault
from goatherd.ports.clock import SystemClock
from goatherd.ports.tracer import Tracer

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
        parent = Parent(stream)
        parent.say(Answer())
        lifespans = Lifespans()
        for line in stream:
            parent.say(_answer(msgspec.json.decode(line, type=Request), lifespans, parent))
        lifespans.leave()


class Parent:
    """The worker at the other end."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        #: Whose word counts now.
        self.speaker: ToParent | None = None

    def say(self, word: Word, speaker: "ToParent | None" = None) -> None:
        """Send one word, unless its speaker's job is over; raises TypeError or ValueError for what is no JSON."""
        line = msgspec.json.encode(word) + b"\n"
        with self._lock:
            if speaker is self.speaker:
                self._stream.write(line)
                self._stream.flush()

    def listen_to(self, speaker: "ToParent | None") -> None:
        """From now on nobody else is heard: a thread that outlives its job must not speak for the next one."""
        with self._lock:
            self.speaker = speaker


class ToParent:
    """Satisfies `Teller` for one job; its function may tell from several threads."""

    def __init__(self, parent: Parent) -> None:
        self._parent = parent

    def progress(self, stage: str, percent: float | None, status: str, fields: Mapping[str, Any]) -> None:
        self._parent.say(StageTold(word_of(stage), percent_of(percent), word_of(status), dict(fields)), self)

    def token(self, text: str, node: str) -> None:
        if size_of(text):
            self._parent.say(TokenTold(text, word_of(node)), self)


def _answer(request: Request, lifespans: Lifespans, parent: Parent) -> Answer:
    retry = Retry()
    try:
        holder = _find(request.home)
        task: TaskDefinition = holder.definition
        retry = task.retry
        lifespans.enter(holder.app, holder.app.lifespans)
        if request.work is None:
            return Answer()
        context = _context(holder.app, task, request.work, request.remaining).holding(request.ticket)
        if request.tracked:
            speaker = ToParent(parent)
            parent.listen_to(speaker)
            context.telling(speaker)
        positional, named = _arguments(task, request.work, context)
        with _trace(holder.app, request.carrier):
            result = task.function(*positional, **named)
        return Answer(result=msgspec.Raw(task.signature.encode_result(result)), committed=_is_used(request.ticket))
    except BaseException as error:  # noqa: BLE001 - whatever a task raises is its failure
        return Answer(fault=asdict(Fault.of(error, retry)), committed=_is_used(request.ticket))
    finally:
        parent.listen_to(None)


def _trace(app: Any, carrier: Carrier) -> AbstractContextManager[None]:
    """What the function sends and records belongs to the trace of its attempt."""
    tracer = _tracer_of(app) if carrier else None
    return nullcontext() if tracer is None else tracer.within(carrier)


@lru_cache
def _tracer_of(app: Any) -> Tracer | None:
    # Asked for once: to find out who records spans takes milliseconds.
    tracer: Tracer | None = app.tracer()
    return tracer


def _is_used(ticket: Ticket | None) -> bool:
    return ticket is not None and ticket.used


def _context(app: object, task: TaskDefinition, work: Work, remaining: float | None) -> BlockingContext:
    clock = SystemClock()
    until = None if remaining is None else clock.now() + remaining
    return BlockingContext(app, task.name, task.queue, work, clock, until)


def _arguments(task: TaskDefinition, work: Work, context: BlockingContext) -> Arguments:
    payload = task.signature.by_name(work.positional, work.payload) if work.positional else work.payload
    arguments = task.signature.decode(payload)
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
