"""What the arcade wants its broker to have, as the command of the docs writes it."""

import functools
import shlex
import subprocess
import sys

from goatherd.model.blueprint import Blueprint
from goatherd.model.operator_yaml import read_operator_yaml
from tests.deploy.places import TOP, TOPOLOGY
from tests.docs.markdown import DOCS, blocks
from tests.docs.story import user_environment


@functools.cache
def exported_topology() -> str:
    """What the documented command writes; asked in a process, for the app reads its settings once."""
    pages = [each.text for each in blocks(DOCS / "howto" / "deploy.md") if "topology export" in each.text]
    [goatherd, *words] = shlex.split("".join(pages))
    assert goatherd == "goatherd"
    assert words[-2:] == ["--output", str(TOPOLOGY.relative_to(TOP))]
    asked = subprocess.run(
        [sys.executable, "-m", goatherd, *words[:-2]],
        cwd=TOP, env={**user_environment(), "ARCADE_RABBITMQ_URL": "amqp://arcade:password@rabbitmq/"},
        capture_output=True, text=True, check=False, timeout=50,
    )  # fmt: skip
    assert asked.returncode == 0, asked.stderr
    return asked.stdout


@functools.cache
def wanted_topology() -> Blueprint:
    """The same, in the virtual host /."""
    return read_operator_yaml(exported_topology()).of("/")
