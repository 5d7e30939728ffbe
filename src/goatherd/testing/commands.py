"""Commands in a test: what other programs would put into the inboxes of the app."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from goatherd.model.command import APART, Command
from goatherd.model.ids import new_id
from goatherd.scheduling import make_intake

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.engine.intake import Intake
    from goatherd.inbox import Inbox


class Commands:
    """Takes them in as a scheduler would, from the hands of the test."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._intakes: dict[str, Intake] = {}

    async def put(self, inbox: Inbox, command: Mapping[str, Any] | bytes, key: str | None) -> None:
        """Have a command on record, and its job sent; raises ValueError and DefinitionError."""
        if inbox not in self._app.inboxes:
            raise ValueError(f"{inbox!r} is no inbox of {self._app!r}, which is under test.")
        if key is not None and (not key or APART in key):
            raise ValueError(f"key={key!r} is no key that a source would give: it is empty or has {APART!r} in it.")
        body = command if isinstance(command, bytes) else msgspec.json.encode(dict(command))
        intake = await self._intake_of(inbox)
        await intake.take_in([Command(key=key or new_id(), body=body)])

    async def _intake_of(self, inbox: Inbox) -> Intake:
        if inbox.name not in self._intakes:
            self._intakes[inbox.name] = await make_intake(self._app, self._app.session(), inbox, Nowhere())
        return self._intakes[inbox.name]


class Nowhere:
    """The source of an inbox in a test, where nothing comes from; satisfies `CommandSource`."""

    async def commands(self) -> AsyncGenerator[Sequence[Command], None]:
        yield ()

    async def remove(self, keys: Sequence[str]) -> None:
        """It is not there any more: the test gave it away."""

    async def close(self) -> None:
        """There is nothing to let go of."""
