"""Commands from outside: stored, removed at the source, then handled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from goatherd.errors import DefinitionError, GiveUp
from goatherd.model.annotations import caller_scope
from goatherd.model.command import APART, Command, job_id_of
from goatherd.model.envelope import BROKEN
from goatherd.model.inbox_address import public_address
from goatherd.model.job import AnyJob, Job, JobOptions
from goatherd.model.retry import Retry
from goatherd.model.seconds import Seconds, declared_span
from goatherd.model.signature import Signature
from goatherd.task import Register, Task, register

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Which member tells a command's type, or what works it out.
Route: TypeAlias = str | Callable[[Mapping[str, Any]], str] | None

#: The task of commands that no handler takes: it gives up, so that they are dead letters.
UNHANDLED = "inbox.unhandled"


class Unroutable(Exception):
    """No handler takes a command; the text says why."""


class Inbox:
    """Commands from outside: stored, removed at the source, then handled."""

    def __init__(self, app: Goatherd, source: str, route: Route) -> None:
        if route is not None and not isinstance(route, str) and not callable(route):
            raise DefinitionError(f"An inbox has route={route!r}; it is a member's name or a function of the command.")
        self._app = app
        self._route = route
        self._handlers: dict[str | None, Task[..., Any]] = {}
        #: Where commands come from, with all secrets.
        self.source = source
        #: The same as it may be shown; commands are on record under it.
        self.name = public_address(source)
        if any(other.name == self.name for other in app.inboxes):
            raise DefinitionError(f"The app {app.name!r} has two inboxes on {self.name}; declare it once.")
        if UNHANDLED not in app.tasks:
            register(app, _unhandled(app), {"name": UNHANDLED}, {})

    def __repr__(self) -> str:
        return f"<Inbox {self.name} of {self._app.name}>"

    def on(self, type: str | None = None, *, retry: Retry | None = None, timeout: Seconds | None = None) -> Register:
        """Declare the task for commands of this type, or of any type.

        Its arguments are the command's members of these names; one positional-only argument is the whole command.
        `ctx.job_id` follows from the source's key, so that an effect can be made once by it.
        """
        if type is not None and self._route is None:
            raise DefinitionError(
                f"The inbox {self.name} has a handler for {type!r}, but no route= that says of which type a command "
                f"is; write app.inbox(…, route='type')."
            )
        span = None if timeout is None else declared_span("timeout", timeout)
        return _RegisterHandler(self._app, self._handlers, type, {"retry": retry, "timeout": span})

    # --- for the rest of the package --------------------------------------------------------------

    def check(self) -> None:
        """Raise DefinitionError if nobody handles anything."""
        if not self._handlers:
            raise DefinitionError(f"The inbox {self.name} has no handler; declare one with @inbox.on('type').")

    def job_of(self, command: Command) -> AnyJob:
        """The job that does it; one that no handler takes becomes a dead letter."""
        id = job_id_of(self.name, command.key)
        try:
            task, payload = self._handled(command)
        except Unroutable as error:
            task, payload = self._app.tasks[UNHANDLED], self._unhandled(command, str(error))
            # Its own id is for the handler that there may be one day.
            id = job_id_of(self.name, f"{command.key}{APART}unhandled")
        # Not checked here: whatever is wrong with it, the worker makes it a dead letter.
        return Job(task.definition, id, payload, JobOptions(id=id))

    def _handled(self, command: Command) -> tuple[Task[..., Any], bytes]:
        try:
            read = msgspec.json.decode(command.body)
        except BROKEN as error:
            raise Unroutable(f"the command is no JSON: {error}") from error
        if not isinstance(read, dict):
            raise Unroutable("the command is no JSON object")
        task = self._handlers.get(None) if self._route is None else self._handler_of(read, self._route)
        if task is None:
            raise Unroutable("no handler takes commands of any type; declare one with @inbox.on()")
        return task, _arguments(task.definition.signature, command.body)

    def _handler_of(self, command: dict[str, Any], route: str | Callable[[Mapping[str, Any]], str]) -> Task[..., Any]:
        wanted = self._type_of(command, route)
        handler = self._handlers.get(wanted) if isinstance(wanted, str) else None
        handler = handler or self._handlers.get(None)
        if handler is not None:
            return handler
        if isinstance(wanted, str):
            known = ", ".join(sorted(repr(name) for name in self._handlers if name is not None)) or "none"
            raise Unroutable(f"no handler for commands of type {wanted!r}; there are handlers for {known}")
        where = f"its member {route!r}" if isinstance(route, str) else "the inbox's route"
        raise Unroutable(f"{where} is no text but {wanted!r}, so its type is not known")

    def _type_of(self, command: dict[str, Any], route: str | Callable[[Mapping[str, Any]], str]) -> object:
        if isinstance(route, str):
            return command.get(route)
        try:
            return route(command)
        except Exception as error:
            raise Unroutable(f"the inbox's route raised {type(error).__name__}: {error}") from error

    def _unhandled(self, command: Command, why: str) -> bytes:
        try:
            read = msgspec.json.decode(command.body)
        except BROKEN:
            read = command.body.decode(errors="backslashreplace")
        return msgspec.json.encode({"inbox": self.name, "key": command.key, "command": read, "why": why})


class _RegisterHandler(Register):
    """The decorator that `inbox.on(...)` gives."""

    def __init__(
        self,
        app: Goatherd,
        handlers: dict[str | None, Task[..., Any]],
        type: str | None,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__(app, options)
        self._handlers = handlers
        self._type = type

    def __call__(self, function: Callable[..., Any], /) -> Any:
        """Register the function."""
        if self._type in self._handlers:
            which = "any type" if self._type is None else f"type {self._type!r}"
            other = self._handlers[self._type].name
            raise DefinitionError(f"Commands of {which} have two handlers: {other!r} and {function.__name__!r}.")
        task = register(self._app, function, self._options, caller_scope())
        self._handlers[self._type] = task
        return task


def _arguments(signature: Signature, body: bytes) -> bytes:
    """What a handler is given of a command: what it names, written as it was."""
    if len(signature.names) == 1 and signature.positional_only:
        return msgspec.json.encode({signature.names[0]: msgspec.Raw(body)})
    members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    return msgspec.json.encode({name: members[name] for name in signature.names if name in members})


def _unhandled(app: Goatherd) -> Callable[..., Any]:
    async def unhandled(inbox: str, key: str, command: Any, why: str) -> None:
        """Give a command up that no handler takes; once there is one, the dead letter can be replayed."""
        for known in app.inboxes:
            if known.name == inbox:
                job = known.job_of(Command(key=key, body=msgspec.json.encode(command)))
                if job.definition.name != UNHANDLED:
                    await app.session().send(job)
                    return
        raise GiveUp(why)

    return unhandled
