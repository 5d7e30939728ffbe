"""A gateway's server process: started, watched from outside, and ended."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.cpu import family, family_ns
from benchmarks.processes import PATIENCE, StepFailed, clean_environment
from benchmarks.sse.contender import Gateway
from scripts.servers.ports import free_ports

#: Seconds within which a server must take connections.
START_DEADLINE = 30.0


class Service:
    """One running server."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self._process = process
        self.port = port

    def cpu_ns(self) -> int:
        """The processor time that it has used."""
        return family_ns(self._process.pid)

    def resident(self) -> int:
        """Bytes of memory that it has, without those of the kernel for its sockets."""
        return sum(_resident(pid) for pid in family(self._process.pid))

    def unsent(self) -> list[int]:
        """Bytes that the kernel holds for each of its connections because the other end takes no more."""
        return list(unsent_in(Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:], self.port))


@asynccontextmanager
async def serving(gateway: Gateway, room: Path) -> AsyncIterator[Service]:
    """Start the server and wait until it takes connections; killed with the block, for nobody needs its goodbye."""
    [port] = free_ports(1)
    errors = room / f"server-{port}.err"
    with errors.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *gateway.command(room, port), env={**clean_environment(), **gateway.environment(room)},
            stdin=asyncio.subprocess.DEVNULL, stdout=stderr, stderr=stderr,
        )  # fmt: skip
    try:
        await _until_it_listens(process, port, errors)
        yield Service(process, port)
        if process.returncode is not None:
            raise StepFailed(f"{gateway.label} ended by itself. {_said(errors)}")
    finally:
        if process.returncode is None:
            process.kill()
        async with asyncio.timeout(PATIENCE):
            await process.wait()


async def _until_it_listens(process: asyncio.subprocess.Process, port: int, errors: Path) -> None:
    try:
        async with asyncio.timeout(START_DEADLINE):
            while process.returncode is None:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.02)
                else:
                    writer.close()
                    return
    except TimeoutError:
        pass
    raise StepFailed(f"a server did not start within {START_DEADLINE:g} s. {_said(errors)}")


def _said(errors: Path) -> str:
    return f"It said: {errors.read_text(encoding='utf-8', errors='replace')[-2000:]}"


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def unsent_in(lines: Iterable[str], port: int) -> Iterable[int]:
    """Linux tells for each socket its own address, the other one, its state and `unsent:unread`, all in hexadecimal."""
    for line in lines:
        _, local, _, state, queues, *_ = line.split()
        if int(local.rpartition(":")[2], 16) == port and state == "01":
            yield int(queues.partition(":")[0], 16)
