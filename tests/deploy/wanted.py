"""What the arcade wants its broker to have; asked in a process of its own, for the app reads its settings once."""

import functools
import subprocess
import sys

from goatherd.model.blueprint import Blueprint
from goatherd.model.definitions_json import read_definitions
from tests.deploy.places import TOP
from tests.docs.story import user_environment

_ASK = """
from examples.arcade.batch.service import arcade
from goatherd.model.definitions_json import write_definitions
from goatherd.wiring.blueprints import app_blueprint

print(write_definitions(app_blueprint(arcade.settings, arcade.contracts(), arcade.topology)))
"""


@functools.cache
def wanted_topology() -> Blueprint:
    """In the virtual host /."""
    environment = {**user_environment(), "ARCADE_RABBITMQ_URL": "amqp://arcade:password@rabbitmq/"}
    asked = subprocess.run(
        [sys.executable, "-c", _ASK], cwd=TOP, env=environment, capture_output=True, text=True, check=False, timeout=50
    )
    assert asked.returncode == 0, asked.stderr
    return read_definitions(asked.stdout, vhost="/").of("/")
