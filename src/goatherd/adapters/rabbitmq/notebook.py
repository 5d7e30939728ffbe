"""Which jobs killed workers on this machine: RabbitMQ tells that a message comes again, but not why.

Each process notes what it runs in a ledger that outlives it. Whoever finds the ledger of a dead process counts a death
for each job in it, as one byte more in a small file of the job's own. All of it is in the temporary folder, which
is gone after a restart of the machine, and then nobody remembers; the queue's delivery limit is the backstop.
"""

import hashlib
import os
import tempfile
import time
import zlib
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from goatherd.adapters.ledger import Ledger, is_dead, was_running
from goatherd.adapters.rabbitmq.address import Address
from goatherd.model.message import Message

#: Seconds after which a count is forgotten, in case its job never came back.
FORGET_AFTER = 7 * 86_400


def known_as(message: Message) -> str:
    """What a message's deaths are counted under: its id or, of a stranger's that has none, its bytes."""
    return message.id or f"{message.queue} {hashlib.blake2b(message.body, digest_size=16).hexdigest()}"


class Notebook:
    """The notes of this process, and what those of dead ones say."""

    def __init__(self, address: Address, app: str) -> None:
        where = f"{sorted(address.nodes)}/{address.virtual_host}/{app}"
        place = hashlib.blake2b(where.encode(), digest_size=8).hexdigest()
        self._folder = Path(tempfile.gettempdir()) / f"goatherd-{os.getuid()}" / place
        self._ledger: Ledger | None = None

    def open(self) -> None:
        """Begin to take notes."""
        if self._ledger is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._ledger = Ledger(self._folder / f"{uuid4().hex}.run")
            self._forget_old()

    def begin(self, job_id: str) -> int | None:
        """A job's code starts; returns its place for `end`."""
        return self._ledger.begin(_number(job_id)) if self._ledger is not None else None

    def end(self, slot: int | None) -> None:
        """Its code has ended."""
        if self._ledger is not None:
            self._ledger.end(slot)

    def deaths(self, job_id: str) -> int:
        """How many processes of this machine died while they ran it."""
        self._read_the_dead()
        try:
            return self._count_file(_number(job_id)).stat().st_size
        except FileNotFoundError:
            return 0

    def forget(self, job_id: str) -> None:
        """The job is settled for good."""
        self._count_file(_number(job_id)).unlink(missing_ok=True)

    def close(self) -> None:
        """Take no more notes."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None
            # Others may still take notes here; then the folder stays.
            with suppress(OSError):
                self._folder.rmdir()

    def let_go(self) -> None:
        """Leave the notes as the kernel leaves those of a process that was killed."""
        if self._ledger is not None:
            self._ledger.let_go()
            self._ledger = None

    def _read_the_dead(self) -> None:
        for path in self._folder.glob("*.run"):
            if not is_dead(path):
                continue
            taken = path.with_suffix(f".{uuid4().hex}")
            try:
                # Of several that find it, one succeeds, and only that one counts.
                path.rename(taken)
            except FileNotFoundError:
                continue
            for job in was_running(taken):
                with self._count_file(job).open("ab") as count:
                    count.write(b".")
            taken.unlink()

    def _forget_old(self) -> None:
        before = time.time() - FORGET_AFTER
        for path in self._folder.glob("*.deaths"):
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)

    def _count_file(self, job: int) -> Path:
        return self._folder / f"{job:016x}.deaths"


def _number(job_id: str) -> int:
    """Ids are text of any length; a ledger has room for a number. Two checksums are quick and differ enough."""
    text = job_id.encode()
    return (zlib.crc32(text) << 32 | zlib.adler32(text)) or 1
