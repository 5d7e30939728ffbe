"""Ask the server: what waits at the same moment goes out together, on one connection, and is answered in order.

A connection that fails is given up with all that was on its way, and everything is asked again on the next one, until
whoever asks gives up. That is allowed because what is asked here can be repeated; what cannot says so, and is told
that nobody knows.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from goatherd.adapters.redis.address import Address
from goatherd.adapters.redis.connection import answers_to, close, exchange, opened
from goatherd.adapters.redis.failures import LOST, away, in_our_words, passes, pause_before, refused, unknown_outcome
from goatherd.adapters.redis.scripts import Script
from goatherd.errors import Unavailable

#: More would make single callers wait without saving much.
LARGEST_BATCH = 256

log = logging.getLogger("goatherd.redis")


class Question:
    """Something asked, and the answer to come."""

    __slots__ = ("_command", "_lineage", "_lineage_at", "_packed", "answer", "once", "sent")

    def __init__(
        self, command: tuple[Any, ...], lineage_at: int | None = None, lineage: str = "", *, once: bool = False
    ) -> None:
        self._command = command
        #: Where in the command the server's lineage belongs.
        self._lineage_at = lineage_at
        self._lineage = lineage
        # Packed here, where whoever asks for the impossible is told.
        self._packed = self._with(lineage)
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        #: Whether it must not be done twice, and whether it may have been done.
        self.once = once
        self.sent = False

    def give(self, answer: Any) -> None:
        """Hand out the answer, unless nobody waits for it any more."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        """Tell that there will be none."""
        if not self.answer.done():
            self.answer.set_exception(error)

    def packed(self, lineage: str) -> bytes:
        """The command as it is sent."""
        if lineage != self._lineage:
            # Another server answers than the one that was there when it was asked.
            self._packed, self._lineage = self._with(lineage), lineage
        return self._packed

    def _with(self, lineage: str) -> bytes:
        place = self._lineage_at
        command = self._command if place is None else (*self._command[:place], lineage, *self._command[place:])
        packed: bytes = hiredis.pack_command(command)
        return packed


class Commands:
    """One connection to the server, made again whenever it is lost."""

    def __init__(self, address: Address, deadline: float, scripts: Sequence[Script]) -> None:
        self._address = address
        self._deadline = deadline
        self._scripts = scripts
        self._waiting: deque[Question] = deque()
        self._asked = asyncio.Event()
        self._connection: AbstractConnection | None = None
        self._lineage = ""
        self._failure: BaseException | None = None
        self._failures = 0
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect for the first time; raises Unavailable or SettingsError."""
        try:
            await self._connect()
        except (*LOST, ResponseError) as error:
            raise refused(error, self._address) from error
        self._task = asyncio.create_task(self._run(), name="goatherd redis commands")

    async def run(
        self, script: Script, keys: tuple[str, ...], *arguments: Any, lineage: bool = False, once: bool = False
    ) -> Any:
        """The answer of a script, which gets the server's lineage as its first argument where it is wanted.

        With `once` it is not asked again when the connection was lost before the answer came.
        """
        head = ("EVALSHA", script.digest, len(keys), *keys)
        place = len(head) if lineage else None
        return await self._ask(Question((*head, *arguments), place, self._lineage, once=once))

    async def run_all(self, script: Script, calls: Iterable[tuple[tuple[str, ...], Sequence[Any]]]) -> list[Any]:
        """The answers of a script to several calls, each with its keys and arguments; asked at once, done in order."""
        heads = [(("EVALSHA", script.digest, len(keys), *keys), arguments) for keys, arguments in calls]
        return await self._ask_all([Question((*head, *arguments)) for head, arguments in heads])

    async def do(self, *command: Any) -> Any:
        """The answer to a command."""
        return await self._ask(Question(command))

    async def close(self) -> None:
        """Ask nothing more; what still waits is told that nobody knows."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._hang_up()
        for question in self._waiting:
            question.fail(unknown_outcome(None, self._address) if question.once and question.sent else self._left())
        self._waiting.clear()

    async def _ask(self, question: Question) -> Any:
        if self._task is None:
            raise self._left()
        self._waiting.append(question)
        self._asked.set()
        try:
            async with asyncio.timeout(self._deadline):
                return await question.answer
        except TimeoutError as error:
            cause = self._failure or error
            told = unknown_outcome if question.once and question.sent else away
            raise told(self._failure, self._address) from cause

    async def _ask_all(self, questions: Sequence[Question]) -> list[Any]:
        if self._task is None:
            raise self._left()
        self._waiting.extend(questions)
        self._asked.set()
        try:
            async with asyncio.timeout(self._deadline):
                answers = await asyncio.gather(*(question.answer for question in questions), return_exceptions=True)
        except TimeoutError as error:
            raise away(self._failure, self._address) from self._failure or error
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    async def _run(self) -> None:
        while True:
            await self._asked.wait()
            self._asked.clear()
            while batch := self._take_batch():
                await self._answer(batch)

    def _take_batch(self) -> list[Question]:
        batch: list[Question] = []
        while self._waiting and len(batch) < LARGEST_BATCH:
            question = self._waiting.popleft()
            # Whoever gave up needs no answer.
            if not question.answer.done():
                batch.append(question)
        return batch

    async def _answer(self, batch: list[Question]) -> None:
        try:
            connection = self._connection or await self._connect()
            packed = b"".join([question.packed(self._lineage) for question in batch])
            for question in batch:
                question.sent = True
            answers = await answers_to(connection, packed, len(batch))
        except (*LOST, ResponseError) as error:
            await self._lost(error, batch)
        except asyncio.CancelledError:
            self._waiting.extendleft(reversed(batch))
            raise
        except Exception as error:  # noqa: BLE001 - told to whoever asked, and the next are served
            await self._hang_up()
            for question in batch:
                question.fail(error)
        else:
            self._recovered()
            await self._hand_out(batch, answers)

    async def _hand_out(self, batch: list[Question], answers: list[Any]) -> None:
        """Give each its answer; what got none that counts is asked again."""
        again: list[Question] = []
        passing: list[Exception] = []
        for question, answer in zip(batch, answers, strict=True):
            if not isinstance(answer, Exception):
                question.give(answer)
            elif passes(answer):
                # Not done, so even what must not be done twice can be asked again.
                question.sent = False
                again.append(question)
                passing.append(answer)
            else:
                question.fail(self._explained(answer))
        if again:
            await self._lost(passing[0], again)

    async def _connect(self) -> AbstractConnection:
        """A new connection, on a server that knows the scripts."""
        connection = await opened(self._address, "goatherd-commands")
        try:
            asked = [("INFO", "replication"), *(("SCRIPT", "LOAD", script.source) for script in self._scripts)]
            replication, *loaded = await exchange(connection, asked)
            for answer in loaded:
                if isinstance(answer, ResponseError):
                    raise answer
        except BaseException:
            await close(connection)
            raise
        self._lineage = _lineage(replication)
        self._connection = connection
        return connection

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await close(connection)

    async def _lost(self, error: BaseException, unanswered: list[Question]) -> None:
        self._waiting.extendleft(reversed([question for question in unanswered if not self._gave_up(question, error)]))
        if self._failures == 0:
            log.warning("%s was lost: %s; it is tried again", self._address, error)
        self._failure = error
        await self._hang_up()
        await pause_before(self._failures)
        self._failures += 1

    def _gave_up(self, question: Question, error: BaseException) -> bool:
        """Tell whoever asked for what must not be done twice, and may have been done."""
        if not (question.once and question.sent):
            return False
        told = unknown_outcome(error, self._address)
        told.__cause__ = error
        question.fail(told)
        return True

    def _recovered(self) -> None:
        if self._failures:
            log.warning("%s is back", self._address)
        self._failure, self._failures = None, 0

    def _explained(self, error: Exception) -> Unavailable:
        told = in_our_words(error, self._address)
        told.__cause__ = error
        return told

    def _left(self) -> Unavailable:
        return Unavailable(f"{self._address} has been left by this program; open the app to use it again.")


def _lineage(replication: Any) -> str:
    """The history of writes that this server is on; a restart or a failover makes another. Empty if it is not told."""
    if isinstance(replication, bytes):
        for line in replication.decode().splitlines():
            if line.startswith("master_replid:"):
                return line.partition(":")[2].strip()
    return ""
