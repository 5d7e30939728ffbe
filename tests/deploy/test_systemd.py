"""systemd has nothing against the units, and what they run works and ends in time."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goatherd.config import Sources, read_settings
from scripts.servers.addresses import systemd_analyze
from scripts.servers.ports import free_ports
from tests.acceptance.cli.stage import Running
from tests.deploy.commands import options_of
from tests.deploy.places import ROLES, seconds
from tests.deploy.units import SYSTEMD, example, exec_start, said, unit_file
from tests.docs.story import user_environment

#: Seconds that a program may take to begin, and to end.
PATIENCE = 50.0
#: The roles whose commands have options of their own; those of the others are run with the Compose file.
READY = {"worker": "2 worker processes", "gateway": "Streams at"}
SHOP = """
from goatherd import Goatherd

app = Goatherd("shop")


@app.task
async def greet(name: str) -> None: ...
"""


# --- by systemd itself ----------------------------------------------------------------------------------------


def analysed(folder: Path, *arguments: str, role: str, more: str = "") -> tuple[int, str]:
    """What systemd-analyze says of a unit, with the folder in place of /srv, so that the program is there."""
    program = folder / "shop" / ".venv" / "bin" / "goatherd"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = folder / f"goatherd-{role}@shop.service"
    text = unit_file(role).read_text().replace("/srv/", f"{folder}/")
    unit.write_text(text.replace("[Install]", f"{more}\n[Install]"))
    done = subprocess.run(
        [systemd_analyze(), *arguments, str(unit)], capture_output=True, text=True, check=False, timeout=50
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.servers("systemd")
@pytest.mark.parametrize("role", ROLES)
def test_systemd_understands_every_word(role: str, tmp_path: Path) -> None:
    assert analysed(tmp_path, "verify", "--man=no", "--recursive-errors=no", role=role) == (0, "")


@pytest.mark.servers("systemd")
def test_a_mistake_would_be_seen(tmp_path: Path) -> None:
    _, told = analysed(tmp_path, "verify", "--man=no", "--recursive-errors=no", role="worker", more="TimeoutStop=60")
    assert "TimeoutStop" in told


@pytest.mark.servers("systemd")
@pytest.mark.parametrize("role", ROLES)
def test_it_is_locked_in(role: str, tmp_path: Path) -> None:
    """0 is locked in, 10 is free to do anything; programs that need the network cannot have much less than this."""
    _, told = analysed(tmp_path, "security", "--offline=true", "--no-pager", role=role)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", told)
    assert found is not None, told
    assert float(found[1]) < 2


# --- by their own words ---------------------------------------------------------------------------------------


def test_every_role_has_a_template() -> None:
    assert {path.name for path in SYSTEMD.glob("*.service")} == {f"goatherd-{role}@.service" for role in ROLES}


@pytest.mark.parametrize("role", ROLES)
def test_it_is_stopped_gently_and_started_again(role: str) -> None:
    assert (said(role, "KillSignal"), said(role, "KillMode")) == (["SIGTERM"], ["mixed"])
    assert said(role, "Restart") == ["always"]
    [longest] = said(role, "TimeoutStopSec")
    mine = example()["GOATHERD_GATEWAY_DRAIN" if role == "gateway" else "GOATHERD_GRACE_PERIOD"]
    assert seconds(longest) > float(mine) + 35


def test_the_roles_differ_in_little() -> None:
    """What one is locked in by, all are."""
    locks = {role: unit_file(role).read_text().partition("StateDirectory=")[2] for role in ROLES}
    assert len(set(locks.values())) == 1


def test_the_example_has_settings_only() -> None:
    told = example() | {"GOATHERD_SECRET": "sixteen characters"}
    read_settings("shop", Sources({}, told, SYSTEMD / "goatherd.toml"))
    others = {name for name in told if not name.startswith("GOATHERD_")}
    assert others - {"APP"} <= {f"{role.upper()}_OPTIONS" for role in ROLES}


@pytest.mark.parametrize("role", ROLES)
def test_the_command_is_the_role(role: str) -> None:
    variables = {f"{role.upper()}_OPTIONS": "", **example()}
    command = exec_start(role, "shop", variables)
    assert command[:4] == ["/srv/shop/.venv/bin/goatherd", role, "shop:app", "--json"]
    assert {each for each in command[4:] if each.startswith("-")} <= options_of(role)


# --- what they run --------------------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Path) -> Iterator[dict[str, Running]]:
    """The commands of units, as of an app in a folder of the test's own."""
    (tmp_path / "shop.py").write_text(SHOP)
    [port] = free_ports(1)
    usual = {f"{role.upper()}_OPTIONS": "" for role in ROLES}
    variables = usual | example() | {
        "GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/jobs.db", "GOATHERD_SECRET": "sixteen characters",
        "GATEWAY_OPTIONS": example()["GATEWAY_OPTIONS"].replace("8000", str(port)),
    }  # fmt: skip
    started: dict[str, Running] = {}
    try:
        for role in READY:
            program, *arguments = exec_start(role, "shop", variables)
            assert program == "/srv/shop/.venv/bin/goatherd"
            command = [str(Path(sys.executable).with_name("goatherd")), *arguments]
            started[role] = Running(command, tmp_path, user_environment() | variables)
        yield started
    finally:
        for each in started.values():
            each.close()


@pytest.mark.timeout(240)
def test_they_run_and_end_when_they_are_told_to(running: dict[str, Running]) -> None:
    for role, program in running.items():
        program.hear(READY[role], PATIENCE)
    for program in running.values():
        program.tell(signal.SIGTERM)
    assert {role: program.end(PATIENCE) for role, program in running.items()} == dict.fromkeys(READY, 0)
