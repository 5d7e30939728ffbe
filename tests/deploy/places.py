"""Where the files for deployment are, and how they are read."""

import functools
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

TOP = Path(__file__).parents[2]
DEPLOY = TOP / "deploy"
TOPOLOGY = DEPLOY / "kubernetes" / "topology" / "arcade.yaml"
#: What all of them run.
APP = "examples.arcade.batch.service:arcade"
ROLES = ("worker", "scheduler", "router", "gateway")


@functools.cache
def documents(path: Path) -> list[dict[str, Any]]:
    """Every document of a YAML file; read once, so nobody changes it."""
    return [found for found in yaml.safe_load_all(path.read_text(encoding="utf-8")) if found is not None]


def seconds(text: str) -> float:
    """A duration as Compose and systemd write it: 60s, 5min."""
    number = text.rstrip("smin")
    return float(number) * {"": 1, "s": 1, "min": 60}[text.removeprefix(number)]
