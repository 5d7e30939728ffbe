"""A private RabbitMQ: its own folder, ports, cookie and port mapper, so that it meets no other."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

from scripts.servers.install import ensure_installed

#: Seconds that the broker may take to start; Erlang is slow on a busy machine.
START_DEADLINE = 90.0

_AMQP_GREETING, _HTTP_GREETING = b"AMQP\x00\x00\x09\x01", b"GET / HTTP/1.0\r\n\r\n"

_CONFIGURATION = """
listeners.tcp.1 = 127.0.0.1:{amqp}
management.tcp.ip = 127.0.0.1
management.tcp.port = {http}
loopback_users.guest = false
vm_memory_high_watermark.relative = 0.4
disk_free_limit.absolute = 50MB
log.file.level = warning
collect_statistics_interval = 500
{more}
"""


class RabbitMQ:
    """One broker process that can be killed, frozen and started again on the same files and ports."""

    def __init__(self, folder: Path, more_configuration: str = "") -> None:
        self._folder = folder
        self._amqp, self._http, self._epmd, self._distribution = free_ports(4)
        self._more = more_configuration
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self._amqp}/"

    @property
    def management_url(self) -> str:
        return f"http://guest:guest@127.0.0.1:{self._http}"

    @property
    def port(self) -> int:
        return self._amqp

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended; a frozen one runs, too."""
        return self._process is not None and self._process.poll() is None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        # Nobody needs its files any more, so it need not take its time to put them in order.
        self.kill()
        self._end_port_mapper()

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        self._folder.mkdir(parents=True, exist_ok=True)
        configuration = self._folder / "rabbitmq.conf"
        configuration.write_text(_CONFIGURATION.format(amqp=self._amqp, http=self._http, more=self._more))
        (self._folder / "enabled_plugins").write_text("[rabbitmq_management].")
        log = (self._folder / "console.log").open("ab")
        with log:
            self._process = subprocess.Popen(
                [_server()], env=self._environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, cwd=self._folder,
            )  # fmt: skip
        self._await_ready()

    def kill(self) -> None:
        """kill -9 of the broker's whole process group."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def freeze(self) -> None:
        """Stop it in its tracks, as a machine that swaps or a virtual machine that is moved."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """End the broker in good order, and its port mapper."""
        if self._process is None:
            return
        self.thaw()
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None
        self._end_port_mapper()

    def control(self, *arguments: str) -> str:
        """Run rabbitmqctl against it."""
        tool = shutil.which("rabbitmqctl", path=_PATH) or "rabbitmqctl"
        done = subprocess.run(
            [tool, *arguments], env=self._environment(), capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode:
            raise RuntimeError(f"rabbitmqctl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def _end_port_mapper(self) -> None:
        epmd = shutil.which("epmd", path=_PATH)
        if epmd is None:
            return
        command = [epmd, "-port", str(self._epmd), "-kill"]
        for _ in range(20):
            # It does not end before it has noticed that the broker is gone.
            told = subprocess.run(command, capture_output=True, check=False, timeout=20, text=True)
            if "not allowed" not in told.stdout + told.stderr:
                return
            time.sleep(0.1)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self.running:
            os.killpg(self._process.pid, number)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": _PATH,
            "HOME": str(self._folder),
            "LANG": "C.UTF-8",
            "RABBITMQ_NODENAME": f"goatherd-{self._amqp}@localhost",
            "RABBITMQ_CONFIG_FILE": str(self._folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(self._folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self._folder / "log"),
            "RABBITMQ_PID_FILE": str(self._folder / "pid"),
            "RABBITMQ_DIST_PORT": str(self._distribution),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "ERL_EPMD_PORT": str(self._epmd),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_DEADLINE
        while time.monotonic() < deadline and self.running:
            # The management plugin starts a little later than the broker itself.
            if all(self._answers(*each) for each in ((self._amqp, _AMQP_GREETING), (self._http, _HTTP_GREETING))):
                return
            time.sleep(0.1)
        words = (self._folder / "console.log").read_text(errors="replace")[-2000:]
        self.kill()
        self._end_port_mapper()
        raise RuntimeError(f"RabbitMQ did not start within {START_DEADLINE:g} s. Its last words:\n{words}")

    def _answers(self, port: int, greeting: bytes) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as probe:
                probe.settimeout(2)
                probe.sendall(greeting)
                return probe.recv(1) != b""
        except OSError:
            return False


#: The wrapper in /usr/sbin insists on a user of its own; the real scripts do not.
_PATH = "/usr/lib/rabbitmq/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin:/opt/homebrew/sbin"


def ensure_rabbitmq() -> None:
    """Have the programs of RabbitMQ on this machine; raises NoServer."""
    ensure_installed("rabbitmq-server", "rabbitmq-server", _PATH, "GOATHERD_TEST_AMQP_URL")


def _server() -> str:
    found = shutil.which("rabbitmq-server", path=_PATH)
    if found is None:
        raise RuntimeError("rabbitmq-server is not installed")
    return found


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
