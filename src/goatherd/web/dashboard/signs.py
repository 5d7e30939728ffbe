"""Icons, and which states look alike, as `signs.toml` has them."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files

_TOLD = tomllib.loads((files("goatherd.web.dashboard") / "signs.toml").read_text(encoding="utf-8"))

#: The path of each icon.
ICONS: Mapping[str, str] = _TOLD["icons"]
#: The tone of each state.
TONES: Mapping[str, str] = {state: tone for tone, states in _TOLD["tones"].items() for state in states.split()}
