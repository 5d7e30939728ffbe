"""The unit files of systemd."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from tests.deploy.places import DEPLOY

SYSTEMD = DEPLOY / "systemd"


def unit_file(role: str) -> Path:
    """The template of a role."""
    return SYSTEMD / f"goatherd-{role}@.service"


def said(role: str, name: str) -> list[str]:
    """All values of a setting, in order."""
    return re.findall(rf"^{name}=(.*)$", unit_file(role).read_text(), re.MULTILINE)


def example() -> dict[str, str]:
    """The variables of the example."""
    lines = (SYSTEMD / "shop.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def exec_start(role: str, instance: str, variables: Mapping[str, str]) -> list[str]:
    """The command line as systemd would make it: `${NAME}` is one word, `$NAME` as many as there are."""
    [line] = said(role, "ExecStart")
    words: list[str] = []
    for word in line.replace("%i", instance).split():
        if match := re.fullmatch(r"\$(\w+)", word):
            words += shlex.split(variables[match[1]])
        else:
            words.append(re.sub(r"\$\{(\w+)\}", lambda found: variables[found[1]], word))
    return words
