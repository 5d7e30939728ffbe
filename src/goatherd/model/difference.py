"""One thing in which a broker differs from the definition, and what it would take to mend it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from goatherd.model.blueprint import BindingSpec, PolicySpec
from goatherd.model.broker_arguments import Arguments

Change: TypeAlias = Literal[
    "create", "bind", "unbind", "policy", "replace queue", "replace exchange", "orphan", "shadowed"
]
Kind: TypeAlias = Literal["queue", "exchange", "binding", "policy"]


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One property or argument: None is where one side has nothing."""

    #: Such as `durable` or `arguments.x-message-ttl`.
    field: str
    wanted: object
    found: object

    def __str__(self) -> str:
        return f"{self.field}: wanted {_told(self.wanted)}, found {_told(self.found)}"


@dataclass(frozen=True, kw_only=True)
class Risk:
    """How messages could be lost, or their order, by a change."""

    loses: Literal["messages", "order"]
    why: str

    def __str__(self) -> str:
        return self.why


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What differs, by its class."""

    change: Change
    kind: Kind
    name: str
    details: tuple[Detail, ...] = ()
    #: Why it is none of the definition's, or has no effect.
    why: str = ""
    risks: tuple[Risk, ...] = ()
    #: The binding to make or to undo.
    binding: BindingSpec | None = None
    #: Whether it can be mended from here; else `why` says who can.
    mendable: bool = True

    @property
    def is_safe(self) -> bool:
        """Whether nothing can be lost when it is mended."""
        return not self.risks

    def plain(self) -> dict[str, Any]:
        """The same as names and values, to be written as JSON."""
        told: dict[str, Any] = {"change": self.change, "kind": self.kind, "name": self.name}
        told["details"] = [asdict(detail) for detail in self.details]
        told |= {"why": self.why, "risks": [asdict(risk) for risk in self.risks], "mendable": self.mendable}
        if self.binding is not None:
            told["binding"] = {**vars(self.binding), "arguments": Arguments(self.binding.arguments).plain()}
        return told

    def __str__(self) -> str:
        parts = [str(detail) for detail in self.details] + ([self.why] if self.why else [])
        return f"{self.change}: {self.kind} {self.name!r}" + (f" ({'; '.join(parts)})" if parts else "")


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """What is in a queue, as far as the broker tells."""

    #: All, those in the hands of consumers too where the broker tells.
    messages: int | None = None
    consumers: int | None = None
    #: Those in the hands of consumers.
    held: int | None = None


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What is ours to judge on a broker that others use too."""

    #: What names begin with that only this app makes, such as `shop.`; what is there and not wanted is left over.
    prefixes: tuple[str, ...] = ()
    #: Exchanges for dead letters that only queues of this app have; such a queue that is not wanted is left over.
    graves: frozenset[str] = frozenset()
    #: Patterns of names that come and go, and are never left over: reply queues, marks of pauses, queues of listeners.
    passing: tuple[str, ...] = ()
    #: Queues and exchanges that only programs of ours publish to, which try again whatever was not accepted.
    ours_alone: frozenset[str] = frozenset()
    #: Queues of which there may be very many, so that our own senders do not look whether they are being replaced.
    unguarded: frozenset[str] = frozenset()
    #: Queues whose order somebody relies on.
    ordered: frozenset[str] = frozenset()
    #: The type of queues that say none, as the virtual host has it.
    default_type: str = "classic"
    #: Those of the broker's operators, which count besides all others.
    operator_policies: tuple[PolicySpec, ...] = ()
    #: Programs of others that are connected now; None where that is not known.
    strangers: tuple[str, ...] | None = None
    #: What could not be seen of the broker, in words.
    unseen: tuple[str, ...] = ()
    #: How full queues are, by name.
    crowds: Mapping[str, Crowd] = field(default_factory=dict)

    def crowd(self, queue: str) -> Crowd:
        """What is in a queue."""
        return self.crowds.get(queue, Crowd())


def _told(value: object) -> str:
    return "nothing" if value is None else repr(value)
