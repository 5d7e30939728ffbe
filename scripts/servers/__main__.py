"""Run a command with the servers it needs: `python -m scripts.servers rabbitmq -- pytest …`.

For each server, the first way that works is taken: its address in the environment; its programs on this machine, as a
private instance in a temporary folder; installed with apt-get if this is root on Debian; else what to do is told.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from scripts.servers.install import ensure_installed
from scripts.servers.rabbitmq import RabbitMQ


def main(arguments: list[str]) -> int:
    """Start what is wanted, run the command, stop what was started; the exit code is the command's."""
    if "--" not in arguments:
        print("usage: python -m scripts.servers SERVER… -- COMMAND…", file=sys.stderr)
        return 2
    split = arguments.index("--")
    wanted, command = arguments[:split], arguments[split + 1 :]
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
    if "GOATHERD_TEST_AMQP_URL" in os.environ:
        return {}
    ensure_installed("rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmq-server", "GOATHERD_TEST_AMQP_URL")
    print("goatherd: starting a private RabbitMQ", file=sys.stderr)
    broker = life.enter_context(RabbitMQ(folder))
    return {"GOATHERD_TEST_AMQP_URL": broker.url, "GOATHERD_TEST_RABBITMQ_MANAGEMENT_URL": broker.management_url}


START = {"rabbitmq": start_rabbitmq}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
