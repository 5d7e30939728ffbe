"""The floor: a small C program on librabbitmq, compiled here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import CannotBeMeasured, Client, Promise
from benchmarks.rabbitmq.promises import QueueType, promise

SOURCE = Path(__file__).with_name("floor.c")
#: What compiles it on Debian.
PACKAGES = ("gcc", "libc6-dev", "librabbitmq-dev")
#: Seconds for the compiler, and for apt-get.
COMPILE_DEADLINE, INSTALL_DEADLINE = 60.0, 600.0

PROMISE = promise("acks of what came together in one frame")


@dataclass(frozen=True, kw_only=True)
class FloorClient:
    """The C program; its acks too are for all that came together."""

    queue_type: QueueType
    label: str = "C, librabbitmq"
    package: str = ""
    promise: Promise = PROMISE

    def program(self, folder: Path) -> Sequence[str]:
        binary = folder / "floor"
        if not binary.exists() or binary.stat().st_mtime < SOURCE.stat().st_mtime:
            _build(binary)
        return [str(binary)]


def _build(binary: Path) -> None:
    complaint = _compile(binary)
    if complaint and os.geteuid() == 0 and shutil.which("apt-get") is not None:
        complaint = _install() or _compile(binary)
    if complaint:
        raise CannotBeMeasured(
            f"The C floor is not measured, because it cannot be compiled ({complaint}). On Debian: "
            f"apt-get install {' '.join(PACKAGES)}"
        )


def _compile(binary: Path) -> str:
    """Empty if it went well, else the compiler's last words."""
    command = ["cc", "-std=gnu11", "-O2", "-Wall", "-o", str(binary), str(SOURCE), "-lrabbitmq"]
    return "there is no cc" if shutil.which("cc") is None else _complaint(command, COMPILE_DEADLINE)


def _install() -> str:
    print(f"goatherd: installing {' '.join(PACKAGES)}", file=sys.stderr)
    update = ["apt-get", "update", "-qq"]
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
    return _complaint(update, INSTALL_DEADLINE) or _complaint(install, INSTALL_DEADLINE)


def _complaint(command: list[str], deadline: float) -> str:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=deadline, check=False)
    except subprocess.TimeoutExpired:
        return f"{command[0]} took longer than {deadline:g} s"
    if not done.returncode:
        return ""
    words = done.stderr.strip().splitlines() or [f"{command[0]} ended with {done.returncode}"]
    return words[0]


CONTENDER: Client = FloorClient(queue_type="quorum")
ON_CLASSIC_QUEUES: Client = FloorClient(queue_type="classic")
