"""A private PostgreSQL: its own folder and port, and writes that are on the disk when it says so."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from scripts.servers.install import ensure_installed
from scripts.servers.ports import free_ports
from scripts.servers.private import PrivateServer

_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
_USER, _PASSWORD = "goatherd", "goatherd"
#: Debian's package makes a cluster on the usual port, unless it is told otherwise before it is installed.
_DEBIANS_CLUSTERS = Path("/etc/postgresql-common/createcluster.conf")


class Postgres(PrivateServer):
    """One server that can be killed, frozen and started again on the same files and port."""

    name = "PostgreSQL"
    start_deadline = 60.0  # it may have a log to replay

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder)
        [self._port] = free_ports(1)
        self._options = options
        self._owner = _owner()
        #: Its files: under its owner's eyes, who may not look into every folder of ours.
        self._home: Path | None = None

    @property
    def url(self) -> str:
        return f"postgresql://{_USER}:{_PASSWORD}@127.0.0.1:{self._port}/postgres"

    @property
    def port(self) -> int:
        return self._port

    def _user(self) -> str | None:
        return self._owner

    def _command(self) -> list[str]:
        if self._home is None:
            self._home = self._made_cluster()
        settings = {
            "port": self._port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": 200,
            "log_min_messages": "fatal", "log_checkpoints": "off", "log_autovacuum_min_duration": -1,
        }  # fmt: skip
        told = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [_program("postgres"), "-D", str(self._home / "cluster"), *told, *self._options]

    def _environment(self) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}

    def _is_ready(self) -> bool:
        asked = [_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self._port), "-t", "2"]
        return subprocess.run(asked, check=False, timeout=10).returncode == 0

    def _made_cluster(self) -> Path:
        home = Path(tempfile.mkdtemp(prefix="goatherd-postgres-"))
        secret = home / "password"
        secret.write_text(_PASSWORD)
        if self._owner is not None:
            shutil.chown(home, self._owner)
            shutil.chown(secret, self._owner)
        done = subprocess.run(
            [
                _program("initdb"), "-D", str(home / "cluster"), "-U", _USER, "--pwfile", str(secret),
                "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync",
            ],
            user=self._owner, env=self._environment(), cwd=home, capture_output=True, text=True, check=False,
            timeout=120,
        )  # fmt: skip
        if done.returncode:
            shutil.rmtree(home)
            raise RuntimeError(f"PostgreSQL's initdb failed: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return home

    # Its processes are not of one group, so each is told.

    def kill(self) -> None:
        """kill -9 of all its processes; returns when none of them runs."""
        if self._process is None or not self.running:
            return
        # Frozen, it starts no more.
        self._process.send_signal(signal.SIGSTOP)
        children = _children(self._process.pid)
        self._tell(signal.SIGKILL)
        self._process.wait()
        deadline = time.monotonic() + 20
        while any(map(_runs, children)):
            if time.monotonic() > deadline:
                raise RuntimeError(f"Processes of PostgreSQL do not end: {children}")
            time.sleep(0.01)

    def freeze(self) -> None:
        self._tell(signal.SIGSTOP)

    def thaw(self) -> None:
        self._tell(signal.SIGCONT)

    def stop(self) -> None:
        """End it in good order, whoever is connected."""
        if self._process is None or not self.running:
            return
        self.thaw()
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def __exit__(self, *_: object) -> None:
        # Not with -9: it would leave a piece of shared memory behind.
        self.thaw()
        if self._process is not None and self.running:
            self._process.send_signal(signal.SIGQUIT)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)

    def _tell(self, number: signal.Signals) -> None:
        if self._process is None or not self.running:
            return
        for each in (self._process.pid, *_children(self._process.pid)):
            try:
                os.kill(each, number)
            except ProcessLookupError:
                # It has just ended.
                continue


def ensure_postgres() -> None:
    """Have the programs of PostgreSQL on this machine; raises NoServer."""
    if not shutil.which("initdb", path=_path()) and os.geteuid() == 0 and shutil.which("apt-get") is not None:
        _DEBIANS_CLUSTERS.parent.mkdir(exist_ok=True)
        if not _DEBIANS_CLUSTERS.exists():
            _DEBIANS_CLUSTERS.write_text("create_main_cluster = false\n")
    ensure_installed("postgresql", "initdb", _path(), "GOATHERD_TEST_POSTGRES_URL")


def _program(name: str) -> str:
    found = shutil.which(name, path=_path())
    if found is None:
        raise RuntimeError(f"{name} of PostgreSQL is not installed")
    return found


def _path() -> str:
    """Where its programs may be, the newest version first."""
    folders = [folder for pattern in _FOLDERS for folder in glob.glob(pattern)]
    newest = sorted(folders, key=lambda folder: [int(part) for part in folder.split("/") if part.isdigit()])[::-1]
    return os.pathsep.join([*newest, os.environ.get("PATH", os.defpath)])


def _owner() -> str | None:
    """Who runs it if we are root, who may not."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _children(parent: int) -> list[int]:
    return [process for process, (its_parent, _) in _processes().items() if its_parent == parent]


def _runs(process: int) -> bool:
    # A zombie holds nothing any more.
    return not _processes().get(process, (0, "Z"))[1].startswith("Z")


def _processes() -> dict[int, tuple[int, str]]:
    """The parent and the state of each."""
    if not Path("/proc/self/stat").exists():
        asked = ["ps", "-A", "-o", "pid=,ppid=,stat="]
        told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10).stdout.split()
        rows = zip(told[::3], told[1::3], told[2::3], strict=True)
        return {int(process): (int(parent), state) for process, parent, state in rows}
    found: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in brackets, may have spaces.
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            # It has just ended.
            continue
        found[int(path.parent.name)] = (int(parent), state)
    return found
