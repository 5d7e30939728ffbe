"""The exchanges, queues, bindings and policies of a live broker, seen and changed one at a time."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec
from goatherd.model.difference import Crowd
from goatherd.model.survey import Survey

#: Is told now and then how many messages were moved so far. Must not block and must not raise.
Moved: TypeAlias = Callable[[int], None]


class Plumbing(Protocol):
    """One virtual host; every adapter passes `goatherd.testing.suites.PlumbingSuite`.

    Each method is one step that is done or not done, and doing it again changes nothing. Each has a deadline and
    raises `Unavailable` when the broker is away or refuses, with what to do about it.
    """

    async def survey(self, wanted: Blueprint) -> Survey:
        """What is there now; where the broker tells little, of what is wanted only."""

    def alone(self) -> AbstractAsyncContextManager[None]:
        """Be the only one who changes this virtual host; raises Unavailable while somebody else does."""

    async def make_exchange(self, exchange: ExchangeSpec) -> None:
        """Raises TopologyMismatch if there is another one of that name."""

    async def drop_exchange(self, name: str) -> None:
        """With all its bindings; used or not."""

    async def make_queue(self, queue: QueueSpec) -> None:
        """Raises TopologyMismatch if there is another one of that name."""

    async def drop_queue(self, name: str, *, though_full: bool = False) -> bool:
        """False, and it stays, if messages are in it or somebody consumes; `though_full` drops it all the same.

        Kinds of queues that know no such condition are counted first: the caller sees to it that nothing comes in.
        """

    async def bind(self, binding: BindingSpec) -> None:
        """Raises Unavailable if either end is missing."""

    async def unbind(self, binding: BindingSpec) -> None:
        """Also if either end is missing, there is nothing more to do."""

    async def set_policy(self, policy: PolicySpec) -> None:
        """Made, or changed as a whole."""

    async def drop_policy(self, name: str) -> None:
        """Let a policy go."""

    async def crowd(self, queue: str) -> Crowd | None:
        """What is in a queue now; None if there is no such queue."""

    async def move(self, source: str, to: str, moved: Moved) -> None:
        """Move what waits in one queue to the end of another, until nothing waits there.

        A message leaves the one only when the other has it for good, so that it may be in both but never in neither.
        What is cut off in the middle is simply done again.
        """
