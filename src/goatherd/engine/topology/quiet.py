"""Have nobody take from a queue, and nobody of ours send to it by its name, while it is replaced."""

import asyncio

from goatherd.engine.topology.progress import Voice
from goatherd.errors import Unavailable
from goatherd.model.blueprint import Blueprint, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.model.stand_in import REPLACEMENTS_MARK, pause_mark_of, senders_mark_of, stand_in_of
from goatherd.ports.plumbing import Plumbing

#: Seconds between two looks.
LOOK_EVERY = 0.2
#: Seconds after which every program of ours knows that it must send nothing to a queue by its name. What is sent by an
#: exchange is led aside instead.
KNOWN_TO_SENDERS = 1.5
#: Says on the mark of a pause that it goes with the replacement; one of an operator stays.
OURS = "x-goatherd-paused-by"


class Quiet:
    """Our own workers and senders are told by marks; others can only be waited for.

    `live` is what is on the broker before it begins, or goes on.
    """

    def __init__(self, plumbing: Plumbing, queue: str, live: Blueprint, voice: Voice, patience: float) -> None:
        self._plumbing = plumbing
        self._queue = queue
        self._voice = voice
        self._patience = patience
        self._mark = QueueSpec(name=pause_mark_of(queue), arguments=dict(REPLACEMENTS_MARK))
        self._senders_mark = QueueSpec(name=senders_mark_of(queue), arguments=dict(REPLACEMENTS_MARK))
        there = live.queue(self._mark.name)
        #: Whether somebody else paused it, and it stays so.
        self._was_paused = there is not None and OURS not in there.arguments
        #: What goes there by the default exchange cannot be led aside, and would be lost while it is deleted.
        self._is_sent_to_by_name = _is_sent_to_by_name(queue, live)
        self._senders_wait = live.queue(self._senders_mark.name) is not None

    async def begin(self) -> None:
        """Returns when nobody takes from it and nobody holds any of it; raises Unavailable if that does not come."""
        if not self._was_paused:
            self._voice.say("pause the workers that take from it")
            await self._plumbing.make_queue(self._mark)
        crowd = await self._look()
        if _is_busy(crowd):
            self._voice.say("wait until nobody takes from it")
        until = asyncio.get_running_loop().time() + self._patience
        while _is_busy(crowd) and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(LOOK_EVERY)
            crowd = await self._look()
        if _is_busy(crowd):
            raise Unavailable(
                f"The queue {self._queue!r} cannot be replaced while {_in_words(crowd)}, and that did not change "
                f"within {self._patience:g} s. Stop those programs, or wait longer (--wait), and apply again."
            )
        if self._is_sent_to_by_name:
            self._voice.say("let our programs wait before they send to it")
            self._senders_wait = True
            await self._plumbing.make_queue(self._senders_mark)
            await asyncio.sleep(KNOWN_TO_SENDERS)

    async def end(self) -> None:
        """Let our programs send to it, and our workers take from it again, unless an operator paused it."""
        if self._senders_wait:
            await self._plumbing.drop_queue(self._senders_mark.name, though_full=True)
        if self._was_paused:
            return
        self._voice.say("let workers go on")
        await self._plumbing.drop_queue(self._mark.name, though_full=True)

    async def _look(self) -> Crowd:
        """One that is gone is quiet."""
        return await self._plumbing.crowd(self._queue) or Crowd()


def _is_sent_to_by_name(queue: str, live: Blueprint) -> bool:
    """Whether nothing but delayed jobs comes to it, or to its stand-in, by an exchange."""
    two = (queue, stand_in_of(queue))
    keys = {way.key for way in live.bindings if way.destination_type == "queue" and way.destination in two}
    return keys <= {f"*.{queue}"}


def _is_busy(crowd: Crowd) -> bool:
    return bool(crowd.consumers or crowd.held)


def _in_words(crowd: Crowd) -> str:
    if crowd.consumers:
        return "1 consumer takes from it" if crowd.consumers == 1 else f"{crowd.consumers} consumers take from it"
    return f"{crowd.held} of its messages are in the hands of consumers"
