"""A private RabbitMQ: its own folder, ports, cookie and port mapper, so that it meets no other."""

import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from scripts.servers.install import ensure_installed
from scripts.servers.ports import free_ports
from scripts.servers.private import PrivateServer, greeted

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


#: What lets the broker move messages from queue to queue by itself.
SHOVEL = ("rabbitmq_shovel", "rabbitmq_shovel_management")


class RabbitMQ(PrivateServer):
    """One broker process that can be killed, frozen and started again on the same files and ports."""

    name = "RabbitMQ"
    start_deadline = 90.0  # Erlang is slow on a busy machine

    def __init__(self, folder: Path, more_configuration: str = "", plugins: Sequence[str] = ()) -> None:
        super().__init__(folder)
        self._plugins = ["rabbitmq_management", *plugins]
        self._amqp, self._http, self._epmd, self._distribution = free_ports(4)
        self._more = more_configuration

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self._amqp}/"

    @property
    def management_url(self) -> str:
        return f"http://guest:guest@127.0.0.1:{self._http}"

    @property
    def port(self) -> int:
        return self._amqp

    def _command(self) -> list[str]:
        configuration = self._folder / "rabbitmq.conf"
        configuration.write_text(_CONFIGURATION.format(amqp=self._amqp, http=self._http, more=self._more))
        (self._folder / "enabled_plugins").write_text(f"[{','.join(self._plugins)}].")
        return [_server()]

    def _is_ready(self) -> bool:
        # The management plugin starts a little later than the broker itself.
        return all(greeted(*each) for each in ((self._amqp, _AMQP_GREETING), (self._http, _HTTP_GREETING)))

    def control(self, *arguments: str) -> str:
        """Run rabbitmqctl against it."""
        tool = shutil.which("rabbitmqctl", path=_PATH) or "rabbitmqctl"
        done = subprocess.run(
            [tool, *arguments], env=self._environment(), capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode:
            raise RuntimeError(f"rabbitmqctl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def _clear_up(self) -> None:
        """End its port mapper."""
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
