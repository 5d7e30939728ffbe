"""What `goatherd doctor` says about this machine: open files, and where files are."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, wrong

if TYPE_CHECKING:
    from goatherd.model.settings import Settings

#: Open files that any process needs: connections, threads' pipes, files.
FEWEST_FILES = 256
#: What SQLite's locks and shared memory do not work on.
NETWORKS = frozenset((
    "afs", "beegfs", "ceph", "cifs", "fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs", "fuse.goofys", "fuse.rclone",
    "fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "nfs", "nfs4", "ocfs2", "smb3", "smbfs",
))  # fmt: skip
#: Where Linux tells what is mounted.
MOUNTS = Path("/proc/self/mountinfo")


def machine_checks(settings: Settings) -> Iterator[Check]:
    """All that is not as it should be; nothing if all is well."""
    yield from file_limit_checks(settings)
    stores = (settings.broker_url, settings.lane_store, settings.event_store, settings.record_store)
    for url in dict.fromkeys(url for url in stores if url.startswith("sqlite:")):
        yield from file_system_checks(url.removeprefix("sqlite:///"))


def file_limit_checks(settings: Settings) -> Iterator[Check]:
    """Whether this machine lets a process have enough open files."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    mend = "Raise it: LimitNOFILE= in a systemd unit, ulimit -n in a shell, or the limits of the container."
    if now != resource.RLIM_INFINITY and now < FEWEST_FILES:
        yield warning("open files", f"a process may have {now:,} open here; {FEWEST_FILES} are needed at least", mend)
    # A gateway raises its own limit as far as it may.
    elif settings.secret is not None and most != resource.RLIM_INFINITY and most < settings.gateway_connections:
        found = f"a process may have {most:,} open here, but {settings.gateway_connections:,} clients of a gateway"
        yield warning("open files", found, f"{mend} Or lower GOATHERD_GATEWAY_CONNECTIONS.")


def file_system_checks(path: str, mounts: Path | None = None) -> Iterator[Check]:
    """Whether a file of SQLite is on a disk of this machine, as far as the system tells."""
    kind = file_system_of(Path(path).resolve(), mounts or MOUNTS)
    if kind in NETWORKS:
        found = f"{path} is on a network file system ({kind}), where SQLite's locks do not hold, so jobs may get lost"
        mend = "Put it on a disk of this machine (GOATHERD_BROKER_URL=sqlite:////var/lib/…), or use servers."
        yield wrong("file system", found, mend)


def file_system_of(path: Path, mounts: Path) -> str | None:
    """The kind of file system that a path is on; None where the system does not tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        # Only Linux has it.
        return None
    kinds = dict(map(_mount, lines))
    places = [str(place) for place in (path, *path.parents) if str(place) in kinds]
    return kinds[places[0]] if places else None


def _mount(line: str) -> tuple[str, str]:
    """Where it is mounted, and its kind; of two in one place the later is on top."""
    before, _, after = line.partition(" - ")
    place = before.split(" ")[4]
    for written, meant in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        place = place.replace(written, meant)
    return os.path.normpath(place), after.split(" ")[0]
