"""A task as it is declared and, once the settings are known, as it is done."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from goatherd.errors import DefinitionError
from goatherd.model.answers import AnswerRule
from goatherd.model.family import Family
from goatherd.model.formats import Format
from goatherd.model.lane import OnExhausted
from goatherd.model.lane_rule import LaneChoice, LaneRule, check_choice
from goatherd.model.retry import Retry
from goatherd.model.signature import Signature
from goatherd.model.unique import UniqueOption, checked_unique

#: Where a task's code runs: on the event loop, in a thread, or in a process that can be killed.
Place: TypeAlias = Literal["loop", "thread", "process"]
#: What is passed as the first argument: nothing, a Context, or a sync.Context.
Wants: TypeAlias = Literal["nothing", "context", "blocking context"]


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """What the decorator said; None means the app's default."""

    name: str
    function: Callable[..., Any]
    queue: str | None = None
    retry: Retry | None = None
    timeout: float | None = None
    deadline: float | None = None
    priority: int = 0
    concurrency: int | None = None
    executor: Literal["thread", "process"] = "thread"
    remote: bool = False
    tracked: bool = False
    key: str | Callable[..., str | int] | None = None
    lane: str | None = None
    on_exhausted: OnExhausted | None = None
    lane_limit: int | None = None
    unique: UniqueOption | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise DefinitionError("A task has an empty name=; leave it out to take the function's own.")
        check_choice(self.name, vars(self))
        check_priority(self.priority, f"Task {self.name!r}")
        if self.retry is not None and not isinstance(self.retry, Retry):
            raise DefinitionError(f"Task {self.name!r} has retry={self.retry!r}; write retry=Retry({self.retry!r}).")
        if self.executor not in ("thread", "process"):
            raise DefinitionError(f"Task {self.name!r} has executor={self.executor!r}; it is 'thread' or 'process'.")
        for name in ("timeout", "deadline", "concurrency"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise DefinitionError(f"Task {self.name!r} has {name}={value!r}; it must be above 0.")
        if self.unique is not None:
            checked_unique(self.unique, f"Task {self.name!r}")
        if self.executor == "process" and self.is_async:
            raise DefinitionError(
                f"Task {self.name!r} is an async function with executor='process', but async code runs on the event "
                f"loop. Make it a plain `def`, or leave executor out."
            )

    @property
    def lanes(self) -> LaneChoice | None:
        """What was said about lanes."""
        if self.key is None:
            return None
        policy = self.on_exhausted or "hold"
        return LaneChoice(key=self.key, lane=self.lane, on_exhausted=policy, limit=self.lane_limit)

    @property
    def is_async(self) -> bool:
        """Whether the function is `async def`."""
        return inspect.iscoroutinefunction(self.function)

    @property
    def place(self) -> Place:
        """Where the code runs."""
        return "loop" if self.is_async else self.executor


@dataclass(frozen=True, kw_only=True)
class TaskDefinition:
    """Everything a sender or a worker needs to know of a task."""

    name: str
    function: Callable[..., Any]
    queue: str
    format: Format
    signature: Signature
    wants: Wants
    place: Place
    retry: Retry
    timeout: float | None
    deadline: float | None
    priority: int
    concurrency: int | None
    remote: bool
    #: Whether events are written for every job, whoever sent it.
    tracked: bool = False
    #: How the service that does it answers, where it does so on a queue that it shares.
    answers: AnswerRule | None = None
    #: How its jobs are put in order; None if they are not.
    lane: LaneRule | None = None
    #: For how long no second job with the same arguments is made: seconds, or until it has ended.
    unique: float | Literal["until_done"] | None = None
    #: What its queues have in common, where it has many; `queue` is then one of them, or their pattern.
    family: Family | None = None

    @property
    def has_many_queues(self) -> bool:
        """Whether this stands for all queues of a family and not for one of them."""
        return self.family is not None and self.queue == self.family.pattern.text

    @property
    def known_as(self) -> tuple[str, ...]:
        """What workers listen under for word about its jobs: its queue, and the pattern of that."""
        return (self.queue,) if self.family is None else (self.queue, self.family.pattern.text)

    def for_name(self, name: object) -> "TaskDefinition":
        """The same task on the queue of that name; raises ValueError for one that cannot be a name."""
        assert self.family is not None, "only a task with many queues is asked for one of them"
        queue = self.family.pattern.queue_of(name)
        known = self.family.pattern.name_in(queue)
        return replace(self, queue=queue, signature=self.family.rest.led_by(known))

    def for_queue(self, queue: str) -> "TaskDefinition | None":
        """The same task on that queue; None if the queue does not belong to its family."""
        if self.family is None or (name := self.family.pattern.name_in(queue)) is None:
            return None
        return replace(self, queue=queue, signature=self.family.rest.led_by(name))


def check_priority(priority: int, whose: str) -> None:
    """Raise DefinitionError unless it is 0 to 9."""
    if priority not in range(10):
        raise DefinitionError(f"{whose} has priority={priority!r}; it must be from 0 (default) to 9 (first).")
