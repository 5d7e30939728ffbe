"""The main program of the clients, and of those who make events: one step of one measurement."""

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias, cast

import uvloop

from benchmarks.pipes import own_pipes
from benchmarks.settings import Entry
from benchmarks.sse.contender import Gateway
from benchmarks.sse.returning import resume, storm
from benchmarks.sse.steps import Place, fan_out, feed, hold, listen

Step: TypeAlias = Callable[..., Coroutine[Any, Any, None]]

STEPS: dict[str, Step] = {
    "fan_out": fan_out, "hold": hold, "listen": listen, "feed": feed, "resume": resume, "storm": storm,
}  # fmt: skip


def main(step: str, setting: str, name: str, room: Path, *arguments: str) -> None:
    """Take one step."""
    gateway = cast(Gateway, Entry(setting=setting, name=name).load())
    port, *numbers = map(int, arguments)
    uvloop.run(STEPS[step](Place(gateway=gateway, room=room, port=port), *numbers))


if __name__ == "__main__":
    own_pipes()
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), *sys.argv[5:])
