"""Run a command with the servers it needs: `python -m scripts.servers rabbitmq redis -- pytest …`.

For each server, the first way that works is taken: its address in the environment; its programs on this machine, as a
private instance in a temporary folder; installed with apt-get if this is root on Debian; else what to do is told.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from scripts.servers.addresses import (
    AMQP_URL,
    CHROMIUM,
    MANAGEMENT_URL,
    MEDIA,
    NODE_PACKAGES,
    OLD_TASKIQ,
    POSTGRES_URL,
    PROMTOOL,
    REDIS_URL,
    SPIN,
    SYSTEMD_ANALYZE,
)
from scripts.servers.chromium import ensure_chromium
from scripts.servers.install import NoServer
from scripts.servers.media import ensure_media
from scripts.servers.node import ensure_node_packages
from scripts.servers.postgres import Postgres, ensure_postgres
from scripts.servers.promtool import ensure_promtool
from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq
from scripts.servers.redis import Redis, ensure_redis
from scripts.servers.spin import ensure_spin
from scripts.servers.systemd import ensure_systemd
from scripts.servers.taskiq import ensure_old_taskiq


def main(arguments: list[str]) -> int:
    """Start what is wanted, run the command, stop what was started; the exit code is the command's."""
    split = arguments.index("--") if "--" in arguments else 0
    wanted, command = arguments[:split], arguments[split + 1 :]
    if not command or not wanted or not START.keys() >= set(wanted):
        print(f"usage: python -m scripts.servers SERVER… -- COMMAND…; servers: {', '.join(START)}", file=sys.stderr)
        return 2
    # Whoever ends this must not leave servers behind.
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
    try:
        return _run(wanted, command)
    except NoServer as error:
        print(f"goatherd: {error}", file=sys.stderr)
        return 1


def _run(wanted: list[str], command: list[str]) -> int:
    with ExitStack() as life:
        folder = Path(life.enter_context(tempfile.TemporaryDirectory(prefix="goatherd-servers-")))
        environment = dict(os.environ)
        for server in wanted:
            environment |= START[server](life, folder / server)
        try:
            return subprocess.run(command, env=environment, check=False).returncode
        except KeyboardInterrupt:
            return 130


def start_rabbitmq(life: ExitStack, folder: Path) -> dict[str, str]:
    """A broker, and the variables that tell the tests where it is."""
    if AMQP_URL in os.environ:
        if MANAGEMENT_URL not in os.environ:
            raise NoServer(
                f"{AMQP_URL} is set, but {MANAGEMENT_URL} is not; the tests need both, because each makes a virtual "
                f"host of its own."
            )
        return {}
    ensure_rabbitmq()
    print("goatherd: starting a private RabbitMQ", file=sys.stderr)
    broker = life.enter_context(RabbitMQ(folder))
    return {AMQP_URL: broker.url, MANAGEMENT_URL: broker.management_url}


def start_redis(life: ExitStack, folder: Path) -> dict[str, str]:
    """A Redis, and the variable that tells the tests where it is."""
    if REDIS_URL in os.environ:
        return {}
    ensure_redis()
    print("goatherd: starting a private Redis", file=sys.stderr)
    return {REDIS_URL: life.enter_context(Redis(folder)).url}


def start_postgres(life: ExitStack, folder: Path) -> dict[str, str]:
    """A PostgreSQL, and the variable that tells the tests where it is."""
    if POSTGRES_URL in os.environ:
        return {}
    ensure_postgres()
    print("goatherd: starting a private PostgreSQL", file=sys.stderr)
    return {POSTGRES_URL: life.enter_context(Postgres(folder)).url}


def find_chromium(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """No server, but had in the same way; each test starts one of its own."""
    return {} if CHROMIUM in os.environ else {CHROMIUM: ensure_chromium()}


def find_node_packages(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """No server either; each test starts a Node of its own."""
    return {} if NODE_PACKAGES in os.environ else {NODE_PACKAGES: str(ensure_node_packages())}


def find_spin(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """No server at all; it reads a model and ends."""
    return {} if SPIN in os.environ else {SPIN: ensure_spin()}


def find_media(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """Programs that the dubbing example starts by itself."""
    return {} if MEDIA in os.environ else {MEDIA: ensure_media()}


def find_systemd(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """A program that reads unit files and ends."""
    return {} if SYSTEMD_ANALYZE in os.environ else {SYSTEMD_ANALYZE: ensure_systemd()}


def find_promtool(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """A program that reads rules and ends."""
    return {} if PROMTOOL in os.environ else {PROMTOOL: ensure_promtool()}


def find_old_taskiq(_life: ExitStack, _folder: Path) -> dict[str, str]:
    """A Python with packages that do not go together with those of the tests."""
    return {} if OLD_TASKIQ in os.environ else {OLD_TASKIQ: ensure_old_taskiq()}


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


START = {
    "rabbitmq": start_rabbitmq,
    "redis": start_redis,
    "postgres": start_postgres,
    "chromium": find_chromium,
    "node": find_node_packages,
    "spin": find_spin,
    "media": find_media,
    "systemd": find_systemd,
    "promtool": find_promtool,
    "taskiq": find_old_taskiq,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
