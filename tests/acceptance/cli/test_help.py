"""Help for everything, fast."""

import json
import subprocess
import sys

import pytest

from goatherd.cli.main import COMMANDS
from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage

pytestmark = embedded

GROUPS = {
    "queues": ["list", "pause", "resume", "purge"],
    "dead": ["list", "show", "replay", "discard"],
    "lanes": ["list", "show", "retry", "skip", "unblock"],
    "listeners": ["list", "restart"],
    "runs": ["list", "show", "retry", "cancel", "requeue-items"],
    "schedules": ["list", "next", "pause", "resume", "trigger"],
    "topology": ["show", "plan", "apply", "export", "import", "diff"],
}
ALL = [(name,) for name in COMMANDS] + [(group, name) for group, names in GROUPS.items() for name in names]
#: Groups, a show for people, and a script.
NOTHING_TO_TELL = [*((group,) for group in GROUPS), ("demo",), ("completion",)]


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_every_command_explains_itself(stage: Stage, command: tuple[str, ...]) -> None:
    told = stage.run(*command, "--help").stdout
    assert f"Usage: goatherd {' '.join(command)}" in told
    assert f"  goatherd {command[0]}" in told.split("Usage:", 1)[1].split("\n", 1)[1], "no example"
    assert "--json" in told or command in NOTHING_TO_TELL
    assert max(map(len, told.splitlines())) <= 80


def test_the_list_of_commands_is_complete_and_in_order(stage: Stage) -> None:
    told = stage.run("--help").stdout.split("Commands:")[1]
    assert [line.split()[0] for line in told.strip().splitlines()] == list(COMMANDS)
    assert stage.run("-h").stdout == stage.run("--help").stdout


def test_help_loads_nothing_that_is_slow(stage: Stage) -> None:
    program = (
        "import json, sys\nfrom goatherd.cli.main import run\nrun(['--help'])\n"
        "print(json.dumps([name.partition('.')[0] for name in sys.modules]), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    loaded = set(json.loads(done.stderr))
    assert "click" in loaded
    assert not loaded & {"apsw", "asyncio", "cronsim", "importlib_metadata", "logging", "msgspec", "rich"}


def test_a_command_that_is_not_there_names_the_nearest(stage: Stage) -> None:
    assert "There is no command 'workr'. Did you mean 'worker'?" in stage.run("workr", code=2).stderr
    assert "Did you mean 'purge'?" in stage.run("queues", "pruge", code=2).stderr


def test_the_version_is_told(stage: Stage) -> None:
    assert stage.run("--version").stdout.startswith("goatherd 0.")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_completion(stage: Stage, shell: str) -> None:
    assert "_GOATHERD_COMPLETE" in stage.run("completion", shell).stdout


def test_completion_completes(stage: Stage) -> None:
    told = stage.run(_GOATHERD_COMPLETE="bash_complete", COMP_WORDS="goatherd queues p", COMP_CWORD="2").stdout
    assert told.split() == ["plain,pause", "plain,purge"]
