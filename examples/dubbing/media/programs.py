"""Run a program of this machine: within a time, and killed with all that it started when nobody waits any more."""

import asyncio
import os
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

from examples.dubbing.troubles import Lasting
from examples.running.programs import TOP

#: What to install for each program, by Debian's names.
PACKAGES: Mapping[str, str] = {
    "ffmpeg": "ffmpeg",
    "ffprobe": "ffmpeg",
    "apertium": "apertium apertium-eng-spa",
    "espeak-ng": "espeak-ng",
    "flite": "flite",
}
#: Seconds that a program gets where its caller does not say.
PATIENCE = 600.0
#: Seconds that a program which is killed may take to be gone.
TO_DIE = 5.0
#: Of what a program says when it fails, so much is shown.
SHOWN = 600


class MissingProgram(Lasting):
    """A program is not installed; the text says how to get it."""


class ProgramFailed(Lasting):
    """A program could not do what it was asked; the text has its own words."""


def missing_programs() -> list[str]:
    """What to say of each program that is not on this machine."""
    return [_how_to_get(name) for name in PACKAGES if shutil.which(name) is None]


async def run_program(command: Sequence[str], given: bytes = b"", seconds: float = PATIENCE) -> bytes:
    """What it writes; raises MissingProgram, ProgramFailed, or TimeoutError."""
    path = shutil.which(command[0])
    if path is None:
        raise MissingProgram(_how_to_get(command[0]))
    with TemporaryFile() as file:
        # Not a pipe: with uvloop that is a socket, and Apertium, which opens its input by name, finds it empty then.
        file.write(given)
        file.seek(0)
        process = await _started([path, *command[1:]], file)
    try:
        async with asyncio.timeout(seconds):
            written, complaint = await process.communicate()
    except BaseException as error:
        await _end(process)
        if isinstance(error, TimeoutError):
            raise TimeoutError(f"{command[0]} did not end within {seconds:g} s") from None
        raise
    if process.returncode:
        told = complaint.decode(errors="replace").strip()[-SHOWN:] or "it said nothing"
        raise ProgramFailed(f"{command[0]} failed with exit code {process.returncode}: {told}")
    return written


async def _started(command: Sequence[str], given: IO[bytes]) -> asyncio.subprocess.Process:
    """A new program; whoever is cancelled while it starts leaves none behind."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            *command, cwd=TOP, stdin=given, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        ),
        name=f"start {command[0]}",
    )  # fmt: skip
    try:
        # To be cancelled half-way may leave asyncio waiting for the end of a program that it does not watch yet.
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _end(await starting)
        raise


async def _end(process: asyncio.subprocess.Process) -> None:
    """Whoever was cancelled or waited in vain leaves no program behind, nor what that has started (a shell's pipe)."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    # Also what it still had to say, so that its pipes are closed; one that left its group may keep them open.
    with suppress(TimeoutError):
        async with asyncio.timeout(TO_DIE):
            await process.communicate()


def _how_to_get(program: str) -> str:
    package = PACKAGES.get(program, program)
    return f"{program} is not installed. On Debian or Ubuntu: sudo apt-get install {package}"
