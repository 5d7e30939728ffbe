"""Apply the chat's definition in a process that dies after one of the steps, or in the middle of one.

The package has no switch for this: the plumbing is wrapped here.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, cast

from goatherd import Goatherd, Task
from goatherd.definition import definition_of
from goatherd.engine.topology.applying import Applying
from goatherd.model.blueprint import BindingSpec
from goatherd.ports.plumbing import Plumbing
from goatherd.wiring import open_plumbing

CHAT = Path(__file__).parents[3] / "examples" / "chat" / "topology" / "chat.yaml"
#: What changes the broker. All else is looking.
CHANGES = frozenset((
    "make_exchange", "drop_exchange", "make_queue", "drop_queue", "bind", "unbind", "set_policy", "drop_policy", "move",
))  # fmt: skip
#: A process that mended everything, and one that did not.
MENDED, LEFT = 0, 2


def chat_at(
    url: str, management_url: str, declare: Literal["create", "never"] = "never"
) -> tuple[Goatherd, Task[..., None]]:
    """The chat as its publishers know it, which make nothing; with plenty of time for a queue to come back."""
    app = Goatherd("chat", broker_url=url, management_url=management_url, declare=declare, publish_deadline=90)
    app.topology.load(CHAT, vhost="eco2")
    questions = app.queue(
        "chat.process", format="taskiq", type="classic", exchange="chat_tasks", ttl=3600,
        dead_letter=("dlx", "dlq.chat.process"),
    )  # fmt: skip
    app.queue("dlq.chat.process", format="taskiq", type="classic", exchange="dlx", ttl=7 * 24 * 3600)

    @app.task(name="chat.process", queue=questions, remote=True)
    async def process(message: str) -> None:
        raise NotImplementedError("nobody does this")

    return app, process


class Mortal:
    """A plumbing that counts its changes, and dies after one of them."""

    def __init__(self, plumbing: Plumbing, dies_after: int, dies_within: int) -> None:
        self._plumbing = plumbing
        self._dies_after = dies_after
        self._dies_within = dies_within
        #: What was changed, in order.
        self.steps: list[str] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._plumbing, name)
        return self._counted(name, found) if name in CHANGES else found

    def _counted(self, name: str, change: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def counted(*arguments: Any, **options: Any) -> Any:
            self.steps.append(f"{name} {' '.join(_words(each) for each in arguments if not callable(each))}".strip())
            number = len(self.steps)
            if number == self._dies_within:
                arguments = tuple(_fatal if callable(each) else each for each in arguments)
            answer = await change(*arguments, **options)
            if number == self._dies_after:
                _die()
            return answer

        return counted


def _fatal(_moved: int) -> None:
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _words(what: object) -> str:
    if isinstance(what, BindingSpec):
        return f"{what.source} to {what.destination} by {what.key!r}"
    return str(getattr(what, "name", what))


async def apply(url: str, management_url: str, told: Path, dies_after: int, dies_within: int) -> int:
    """Write down the steps, if there is an end to it."""
    # In this mode the queues for delayed jobs are no part of it, which are many and all alike.
    app, _ = chat_at(url, management_url, "create")
    async with open_plumbing(app.settings) as plumbing:
        mortal = Mortal(plumbing, dies_after, dies_within)
        applied = await Applying(cast("Plumbing", mortal), definition_of(app), lambda _: None).run()
    told.write_text(json.dumps(mortal.steps))
    return LEFT if applied.left else MENDED


def run(url: str, management_url: str, told: Path, dies_after: int = 0, dies_within: int = 0) -> None:
    """What a process of its own does; none of both numbers is a life to the end."""
    sys.exit(asyncio.run(apply(url, management_url, told, dies_after, dies_within)))
