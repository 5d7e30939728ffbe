"""Replace a queue under traffic, while another one takes what comes in and keeps its bindings."""

from collections.abc import Iterable
from dataclasses import replace

from goatherd.engine.topology.emptying import empty_and_drop
from goatherd.engine.topology.possible_ways import ways_that_can_be
from goatherd.engine.topology.progress import Voice
from goatherd.engine.topology.quiet import Quiet
from goatherd.engine.topology.rivals import nobody_else_makes
from goatherd.model.blueprint import BindingSpec, Blueprint, QueueSpec
from goatherd.model.drift import policies_by_then
from goatherd.model.stand_in import stand_in_of
from goatherd.model.standing_in import queue_standing_in
from goatherd.model.survey import Survey
from goatherd.ports.plumbing import Plumbing


class QueueReplacement:
    """Begins, or goes on with what somebody began: what is on the broker tells how far that was.

    The stand-in is made first and dropped last. Ways are opened before others are closed, and messages are in the new
    place before they leave the old one: whoever dies in between leaves something twice, and nothing nowhere.
    """

    def __init__(self, plumbing: Plumbing, wanted: Blueprint, queue: QueueSpec, voice: Voice, patience: float) -> None:
        self._plumbing = plumbing
        self._wanted = wanted
        self._queue = queue
        self._name = queue.name
        self._stand_in = stand_in_of(queue.name)
        self._voice = voice
        self._patience = patience

    async def run(self) -> None:
        """Raises Unavailable; the next one goes on."""
        seen = await self._plumbing.survey(self._wanted)
        there = seen.blueprint.queue(self._name)
        is_new = seen.blueprint.queue(self._stand_in) is None
        quiet = Quiet(self._plumbing, self._name, seen.blueprint, self._voice, self._patience)
        if there is not None and not self._is_right(there, seen):
            if is_new:
                self._voice.say("make a stand-in")
                await self._plumbing.make_queue(self._lasting(seen))
            await self._be_quiet(quiet, is_new=is_new)
            await self._lead_aside(seen.blueprint)
            await self._remove(there, seen)
        self._voice.say("make it as it is wanted")
        async with nobody_else_makes("queue", self._name):
            await self._plumbing.make_queue(self._queue)
        await self._lead_back(seen.blueprint)
        await quiet.end()
        stand_in = seen.blueprint.queue(self._stand_in) or self._lasting(seen)
        moved = self._voice.moving("move the messages back")
        await empty_and_drop(self._plumbing, stand_in, self._name, moved, self._patience, seen.default_type)

    def _is_right(self, there: QueueSpec, seen: Survey) -> bool:
        one, other = (replace(each, type=each.type or seen.default_type) for each in (there, self._queue))
        return one == other

    def _lasting(self, seen: Survey) -> QueueSpec:
        return queue_standing_in(self._queue, policies_by_then(self._wanted, seen.blueprint), seen.default_type)

    async def _be_quiet(self, quiet: Quiet, *, is_new: bool) -> None:
        try:
            await quiet.begin()
        except BaseException:
            if is_new:
                # Nothing leads to the stand-in yet: all is as it was.
                await quiet.end()
                await self._plumbing.drop_queue(self._stand_in)
            raise

    async def _lead_aside(self, live: Blueprint) -> None:
        self._voice.say("let new messages go to the stand-in")
        ways = _ways_to(self._name, live.bindings)
        for way in ways:
            await self._plumbing.bind(replace(way, destination=self._stand_in))
        for way in ways:
            await self._plumbing.unbind(way)

    async def _remove(self, there: QueueSpec, seen: Survey) -> None:
        if there.type == "stream":
            # What was read stays in a stream, so that it can never be emptied; whoever is here has agreed to that.
            self._voice.say("delete the old one with what is in it")
            await self._plumbing.drop_queue(self._name, though_full=True)
            return
        moved = self._voice.moving("move the messages to the stand-in")
        await empty_and_drop(self._plumbing, there, self._stand_in, moved, self._patience, seen.default_type)

    async def _lead_back(self, live: Blueprint) -> None:
        self._voice.say("let new messages go to it")
        aside = _ways_to(self._stand_in, live.bindings)
        ways = [*_ways_to(self._name, live.bindings), *(replace(way, destination=self._name) for way in aside)]
        meant = _ways_to(self._name, ways_that_can_be(self._wanted, live, self._name))
        open_ways = dict.fromkeys((*ways, *meant))
        for way in open_ways:
            await self._plumbing.bind(way)
        # Also those that were not seen, where a broker does not tell of all.
        for way in open_ways:
            await self._plumbing.unbind(replace(way, destination=self._stand_in))


def _ways_to(queue: str, bindings: Iterable[BindingSpec]) -> list[BindingSpec]:
    return [each for each in bindings if (each.destination_type, each.destination) == ("queue", queue)]
