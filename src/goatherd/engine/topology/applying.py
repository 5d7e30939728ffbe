"""Mend all in which a broker differs from the definition."""

from collections.abc import Collection, Iterator

from goatherd.engine.topology.meant import meant_by
from goatherd.engine.topology.mending import Mending
from goatherd.engine.topology.progress import Applied, Tell
from goatherd.model.definition import Definition
from goatherd.model.difference import Crowd, Difference
from goatherd.model.survey import Survey
from goatherd.ports.plumbing import Plumbing

#: A replaced queue has its old bindings again, of which some are to go: that is seen in the next round.
MOST_ROUNDS = 4
#: A way can go once more, with an end that is replaced later.
MOST_TIMES = 2


class Applying:
    """One application of a definition; after a death in the middle of it, the next one goes on."""

    def __init__(
        self,
        plumbing: Plumbing,
        definition: Definition,
        tell: Tell,
        *,
        allow_loss: bool = False,
        only: Collection[str] = (),
        patience: float = 60.0,
    ) -> None:
        """`only` are names of queues, exchanges and policies; without them all is mended.

        `patience` is how many seconds consumers and publishers have to get out of the way of a replacement.
        """
        self._plumbing = plumbing
        self._definition = definition
        self._allow_loss = allow_loss
        self._only = frozenset(only)
        self._mending = Mending(plumbing, tell, allow_loss=allow_loss, patience=patience)
        self._tried: list[Difference] = []
        self._done: list[Difference] = []
        #: Queues by name, as they were known at first.
        self._left_over: dict[str, Difference] = {}

    async def run(self) -> Applied:
        """Raises Unavailable, after which what was begun is gone on with by the next one."""
        async with self._plumbing.alone():
            for _ in range(MOST_ROUNDS):
                seen, differences = await self._look()
                todo = self._to_mend(seen, differences)
                if not todo:
                    break
                wanted = self._definition.wanted(seen)
                for each in todo:
                    self._tried.append(each)
                    if await self._mending.mend(each, wanted):
                        self._done.append(each)
            _, left = await self._look()
        refused = [each for each in meant_by(self._only, left) if not self._is_allowed(each)]
        return Applied(done=self._done, refused=refused, left=left)

    async def _look(self) -> tuple[Survey, list[Difference]]:
        seen = await self._plumbing.survey(self._definition.blueprint)
        return seen, self._definition.differences(seen)

    def _to_mend(self, seen: Survey, differences: list[Difference]) -> list[Difference]:
        """What was mended twice and differs again is somebody else's doing, against whom we do not fight."""
        orphans = [each for each in differences if each.change == "orphan"]
        queues = {each.name: each for each in orphans if each.kind == "queue"}
        self._left_over = queues | self._left_over
        waiting = [each for each in differences if each.mendable and each.change not in ("orphan", "shadowed")]
        # What nobody wants any more may still be needed by what is not yet as it should be.
        left_over = [] if waiting else [*orphans, *self._forgotten(seen, queues)]
        return [
            each
            for each in meant_by(self._only, (*waiting, *left_over))
            if self._is_allowed(each) and self._tried.count(each) < MOST_TIMES
        ]

    def _forgotten(self, seen: Survey, known: Collection[str]) -> Iterator[Difference]:
        """Queues that were known as left over only by what has been mended since; those that are still empty."""
        for name, each in self._left_over.items():
            crowd = seen.crowds.get(name, Crowd())
            if name not in known and seen.blueprint.queue(name) and crowd.messages == 0 and not crowd.consumers:
                yield each

    def _is_allowed(self, difference: Difference) -> bool:
        return difference.is_safe or self._allow_loss
