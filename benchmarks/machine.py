"""What a reader must know about the machine to read the figures."""

import os
import platform
import sqlite3
import time
from pathlib import Path
from statistics import median
from typing import Any

import apsw

#: Syncs whose median tells what the disk takes for one.
SYNCS = 50


def describe(folder: Path) -> dict[str, Any]:
    """Processors, load, versions, and what a sync costs where the files will lie."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "processor": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "file_system": _file_system(folder),
        "sync_ms": round(sync_ms(folder), 3),
        "sqlite_of_goatherd": apsw.sqlite_lib_version(),
        "sqlite_of_python": sqlite3.sqlite_version,
    }


def sync_ms(folder: Path) -> float:
    """Milliseconds to append a page to a file and have it on the disk."""
    path = folder / "sync"
    took = []
    with path.open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            began = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    path.unlink()
    return median(took) * 1000


def warnings(facts: dict[str, Any]) -> list[str]:
    """What makes the figures of this run doubtful."""
    doubts = []
    if facts["sync_ms"] < 0.02:
        doubts.append(
            f"A sync takes {facts['sync_ms']} ms on {facts['file_system']}: this is memory, not a disk, so contenders "
            f"that sync look faster than they are. Choose a folder on a disk with --folder."
        )
    if facts["load"] > facts["cores"] / 2:
        doubts.append(f"The machine was busy before the run (load {facts['load']}): trust ratios, not rates.")
    return doubts


def _file_system(folder: Path) -> str:
    """The type of the file system that holds the folder; empty where the system does not tell."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ""
    here = folder.resolve()
    holding = [line.split() for line in mounts if here.is_relative_to(line.split()[1])]
    return max(holding, key=lambda mount: len(mount[1]))[2] if holding else ""
