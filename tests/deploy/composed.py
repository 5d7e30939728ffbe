"""The Compose file, as Compose understands it: anchors merged, variables filled in."""

import re
from collections.abc import Mapping
from typing import Any

from tests.deploy.places import DEPLOY, documents

#: Those of example.env.
SECRETS = ("GOATHERD_SECRET", "RABBITMQ_PASSWORD", "REDIS_PASSWORD", "POSTGRES_PASSWORD")
_VARIABLE = re.compile(r"\$\{(?P<name>\w+):\?[^}]*\}")


def compose_file(variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """All of it, with these variables; a variable that is not there is an error, as it is to Compose."""
    [told] = documents(DEPLOY / "compose.yaml")
    filled = _filled(told, {name: f"a-{name}-of-some-length" for name in SECRETS} | dict(variables or {}))
    assert isinstance(filled, dict)
    return filled


def services(variables: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """Every service by its name."""
    return dict(compose_file(variables)["services"])


def _filled(part: Any, variables: Mapping[str, str]) -> Any:
    if isinstance(part, str):
        whole = _VARIABLE.sub(lambda match: variables[match["name"]], part)
        assert "$" not in whole, f"only ${{NAME:?text}} is understood here: {part}"
        return whole
    if isinstance(part, dict):
        return {name: _filled(each, variables) for name, each in part.items()}
    if isinstance(part, list):
        return [_filled(each, variables) for each in part]
    return part
