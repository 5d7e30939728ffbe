"""The Dockerfile, instruction by instruction."""

import json
import re
from dataclasses import dataclass, field

from tests.deploy.places import DEPLOY

DOCKERFILE = DEPLOY / "Dockerfile"


@dataclass(frozen=True)
class Stage:
    """One of its stages: what it is made from, and its instructions."""

    name: str
    parent: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        """What it says with one word, in order."""
        return [said for each, said in self.instructions if each == word]


def stages() -> dict[str, Stage]:
    """By their names, in order."""
    found: dict[str, Stage] = {}
    for word, said in _instructions():
        if word == "FROM":
            parent, name = said.split(" AS ")
            stage = found[name] = Stage(name, parent)
        elif found:
            stage.instructions.append((word, said))
    return found


def lineage(name: str) -> list[Stage]:
    """A stage and those that it is made from, the oldest first."""
    known = stages()
    line = [known[name]]
    while line[0].parent in known:
        line.insert(0, known[line[0].parent])
    return line


def last_said(name: str, word: str) -> str:
    """What counts in a stage: its own word, or the nearest one of those that it is made from."""
    return [said for stage in lineage(name) for said in stage.all(word)][-1]


def exec_form(said: str) -> list[str]:
    """A command without a shell; raises ValueError for one with a shell."""
    return [str(part) for part in json.loads(said[said.index("[") :])]


def _instructions() -> list[tuple[str, str]]:
    lines = [line for line in DOCKERFILE.read_text().splitlines() if line.strip() and not line.startswith("#")]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1].strip()) for line in whole.splitlines()]
