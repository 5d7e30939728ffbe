"""Tell the app of its dead letters: each is also a job on a queue of its own, so none is forgotten."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import Parameter
from typing import TypeAlias

from goatherd.engine.dead_letters import read_letter
from goatherd.engine.shared_answers import EventsOpener
from goatherd.errors import UnknownJob
from goatherd.model.admission import Append
from goatherd.model.dead_letter import DeadLetter, StoredLetter
from goatherd.model.ends import end_of
from goatherd.model.formats import FORMATS, Format
from goatherd.model.message import TRACKED
from goatherd.model.retry import Retry
from goatherd.model.signature import Signature
from goatherd.model.task import TaskDefinition
from goatherd.model.topology import Queue
from goatherd.ports.clock import Clock
from goatherd.ports.dead_letters import DeadLetters

Hook: TypeAlias = Callable[[DeadLetter], Awaitable[None]]
#: Told of a letter as it is kept, before the hooks.
Notary: TypeAlias = Callable[[StoredLetter], Awaitable[None]]


def announcement_queue(app: str) -> Queue:
    """The queue on which the broker puts `{"letter": id}` for every dead letter of the app's queues."""
    return Queue(name=f"{app}.dead-letters", format="plain")


def noting_ends(open_events: EventsOpener, clock: Clock, prefix: str) -> Notary:
    """Lets those who watch a job know that it is a dead letter; the worker that made it one may have died."""

    async def note(stored: StoredLetter) -> None:
        original = stored.original
        if original.headers.get(TRACKED) == prefix:
            events = await open_events()
            await events.append(original.id, Append(events=[end_of(stored.burial, clock.now())]))

    return note


def announcing(
    app: str, letters: DeadLetters, format_of: Callable[[str], Format], note: Notary, hooks: Sequence[Hook]
) -> TaskDefinition:
    """The task that tells the hooks; a hook that fails is told again, like any job."""

    async def tell(letter: str) -> None:
        try:
            stored = await letters.get(letter)
        except UnknownJob:
            # Replayed or discarded before anyone could be told: there is nothing left to tell.
            return
        await note(stored)
        for hook in hooks:
            await hook(read_letter(stored, format_of(stored.original.queue)))

    queue = announcement_queue(app)
    return TaskDefinition(
        name=queue.name,
        function=tell,
        queue=queue.name,
        format=FORMATS["plain"],
        signature=Signature(queue.name, [Parameter("letter", Parameter.KEYWORD_ONLY)], {"letter": str}),
        wants="nothing",
        place="loop",
        retry=Retry(10, max=60),
        timeout=None,
        deadline=None,
        priority=0,
        concurrency=None,
        remote=False,
    )
