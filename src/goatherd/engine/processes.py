"""Child processes for functions that must be killable: each runs one job at a time and is used again.

The children speak JSON over a socket and are started by name, so nothing is pickled and nothing is inherited by a fork.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any, Self, TypeAlias

import msgspec

from goatherd.engine.admission import Admitted
from goatherd.engine.emitter import Voice
from goatherd.engine.ticket import Ticket
from goatherd.errors import DefinitionError
from goatherd.model.formats import Work
from goatherd.model.task import TaskDefinition
from goatherd.model.trace_context import NO_CARRIER, Carrier
from goatherd.model.verdict import Fault

#: Seconds that a child may take to start Python and import the user's program.
START_DEADLINE = 60.0
#: Seconds that one with nothing to do may take to end by itself.
LAST_MOMENT = 5.0
#: The largest result that a child may return, in bytes.
LARGEST_ANSWER = 64 * 1024 * 1024

log = logging.getLogger("goatherd.worker")


class ChildDied(Exception):
    """The process that ran a job ended without an answer."""


class RemoteFault(Exception):
    """The job's code failed in its process."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.message)


class Home(msgspec.Struct, frozen=True):
    """Where a function can be found again by another process."""

    #: An importable name, or the path of the script that is run.
    module: str
    qualname: str

    @classmethod
    def of(cls, task: TaskDefinition) -> Self:
        """The home of a task's function; raises DefinitionError if another process could not find it."""
        function = task.function
        found: Any = sys.modules.get(function.__module__)
        for part in function.__qualname__.split("."):
            found = getattr(found, part, None)
        if getattr(found, "definition", None) is None:
            raise DefinitionError(
                f"Task {task.name!r} has executor='process', but another process cannot find it as "
                f"{function.__module__}.{function.__qualname__}. Define it with @app.task at the top of a module."
            )
        return cls(_module_name(function.__module__), function.__qualname__)


class Request(msgspec.Struct, frozen=True):
    """One job for a child, or only the function that it should have ready."""

    home: Home
    work: Work | None = None
    remaining: float | None = None
    #: Whether anybody wants to hear how it goes.
    tracked: bool = False
    #: What a keyed job shows to have its effect.
    ticket: Ticket | None = None
    #: The trace that it belongs to.
    carrier: Carrier = NO_CARRIER


class Answer(msgspec.Struct, frozen=True, tag="answer"):
    """What became of it."""

    result: msgspec.Raw = msgspec.Raw(b"null")
    fault: dict[str, Any] | None = None
    #: Whether its lane was moved on in a transaction of its own.
    committed: bool = False


class StageTold(msgspec.Struct, frozen=True, tag="progress"):
    """The function told how far it is."""

    stage: str
    percent: float | None
    status: str
    fields: dict[str, Any]


class TokenTold(msgspec.Struct, frozen=True, tag="token"):
    """The function streamed a piece of text."""

    text: str
    node: str


#: What a child says while and after it runs a job.
Word: TypeAlias = Answer | StageTold | TokenTold
_WORDS: msgspec.json.Decoder[Word] = msgspec.json.Decoder(Word)


class Processes:
    """The children of one worker."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._all: set[Child] = set()

    @asynccontextmanager
    async def seat(self, task: TaskDefinition) -> AsyncIterator["Child"]:
        """A child that has the task's function ready; leaving the block while its code runs kills it."""
        child = await self._take_idle() or await self._start()
        try:
            await child.make_ready(Home.of(task))
            yield child
        finally:
            if child.is_idle:
                self._idle.append(child)
            else:
                self._all.discard(child)
                await child.kill()

    async def close(self) -> None:
        """Let those end in good order that have nothing to do, and kill what still runs."""
        children, self._all, self._idle = self._all, set(), []
        await asyncio.gather(*(child.end() for child in children))

    async def _take_idle(self) -> "Child | None":
        while self._idle:
            child = self._idle.pop()
            if child.is_idle:
                return child
            # It died while it had nothing to do, which is no job's fault.
            self._all.discard(child)
            await child.kill()
        return None

    async def _start(self) -> "Child":
        child = await Child.start()
        self._all.add(child)
        return child


class Child:
    """One process and the socket to it."""

    def __init__(
        self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._process = process
        self._reader = reader
        self._writer = writer
        self._asked = False
        self._ready: set[Home] = set()

    @classmethod
    async def start(cls) -> Self:
        """Start a process and wait until it listens; raises ChildDied."""
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "goatherd.engine.child", str(theirs.fileno())]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.DEVNULL, pass_fds=[theirs.fileno()], env=environment
            )
        reader, writer = await asyncio.open_connection(sock=ours, limit=LARGEST_ANSWER)
        child = cls(process, reader, writer)
        try:
            await child._within_start_deadline(child._read())
        except BaseException:
            await child.kill()
            raise
        return child

    @property
    def is_idle(self) -> bool:
        """Whether it lives and waits for a job."""
        return not self._asked and self._process.returncode is None

    async def make_ready(self, home: Home) -> None:
        """Let it import the function, so that the first job does not pay for it."""
        if home not in self._ready:
            await self._within_start_deadline(self._ask(Request(home)))
            self._ready.add(home)

    async def run(
        self, admitted: Admitted, remaining: float | None, emitter: Voice | None = None, carrier: Carrier = NO_CARRIER
    ) -> object:
        """The function's result; raises RemoteFault or ChildDied."""
        task, ticket = admitted.task, admitted.ticket
        request = Request(Home.of(task), admitted.work, remaining, emitter is not None, ticket, carrier)
        answer = await self._ask(request, emitter)
        if ticket is not None:
            ticket.used = answer.committed
        if answer.fault is not None:
            raise RemoteFault(Fault(**answer.fault))
        return task.signature.decode_result(answer.result)

    async def end(self) -> None:
        """Let it leave its lifespans and send off what it has recorded, if it does nothing else; else kill it."""
        if self.is_idle:
            self._writer.close()
            try:
                async with asyncio.timeout(LAST_MOMENT):
                    await self._process.wait()
            except TimeoutError:
                log.warning("A process for tasks (pid %d) did not end by itself, and is killed", self._process.pid)
        await self.kill()

    async def kill(self) -> None:
        """End it, whatever it does."""
        self._writer.close()
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def _ask(self, request: Request, emitter: Voice | None = None) -> Answer:
        self._asked = True
        self._writer.write(msgspec.json.encode(request) + b"\n")
        answer = await self._hear_out(emitter)
        self._asked = False
        return answer

    async def _read(self) -> bytes:
        try:
            line = await self._reader.readline()
        except ConnectionError:
            line = b""
        if not line:
            raise ChildDied(f"its process (pid {self._process.pid}) {_how_it_ended(await self._process.wait())}")
        return line

    async def _hear_out(self, emitter: Voice | None) -> Answer:
        """Pass on what the function tells, until it has come to its end."""
        while True:
            match _WORDS.decode(await self._read()):
                case Answer() as answer:
                    return answer
                case StageTold() as told if emitter is not None:
                    emitter.progress(told.stage, told.percent, told.status, told.fields)
                case TokenTold() as told if emitter is not None:
                    emitter.token(told.text, told.node)
            if emitter is not None:
                await emitter.room()

    async def _within_start_deadline(self, step: Awaitable[object]) -> None:
        try:
            async with asyncio.timeout(START_DEADLINE):
                await step
        except TimeoutError as error:
            raise ChildDied(f"its process was not ready within {START_DEADLINE:g} s") from error


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended by itself with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def _module_name(module: str) -> str:
    if module != "__main__":
        return module
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    return spec.name if spec is not None else os.path.abspath(str(main.__file__))
