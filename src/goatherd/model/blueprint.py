"""What a virtual host of the broker has: exchanges, queues, bindings and policies, as one value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, TypeVar, get_args

from goatherd.errors import DefinitionError
from goatherd.model.broker_arguments import Arguments

DestinationType: TypeAlias = Literal["queue", "exchange"]
ApplyTo: TypeAlias = Literal["queues", "classic_queues", "quorum_queues", "streams", "exchanges", "all"]

#: The argument that says the type of a queue; a QueueSpec has it as `type`.
TYPE_ARGUMENT = "x-queue-type"


@dataclass(frozen=True, kw_only=True)
class ExchangeSpec:
    """An exchange; `type` is any that the broker knows, plugins' too."""

    name: str
    type: str
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    arguments: Mapping[str, Any] = field(default_factory=Arguments)

    def __post_init__(self) -> None:
        _freeze(self, "arguments")


@dataclass(frozen=True, kw_only=True)
class QueueSpec:
    """A queue; `type` is "classic", "quorum" or "stream", or None where the virtual host's own default counts."""

    name: str
    type: str | None = None
    durable: bool = True
    auto_delete: bool = False
    #: All but `x-queue-type`, which is `type`.
    arguments: Mapping[str, Any] = field(default_factory=Arguments)

    def __post_init__(self) -> None:
        _freeze(self, "arguments")
        if TYPE_ARGUMENT in self.arguments:
            raise DefinitionError(f"The queue {self.name!r} has {TYPE_ARGUMENT!r} among its arguments; say type=.")

    @classmethod
    def from_declared(
        cls, name: str, arguments: Mapping[str, Any], *, durable: bool = True, auto_delete: bool = False
    ) -> Self:
        """A queue as it is declared: its type is among the arguments."""
        rest = {key: value for key, value in arguments.items() if key != TYPE_ARGUMENT}
        kind = arguments.get(TYPE_ARGUMENT)
        if kind is not None and not isinstance(kind, str):
            raise DefinitionError(f"The queue {name!r} has {TYPE_ARGUMENT!r} {kind!r}; it must be text.")
        return cls(name=name, type=kind, durable=durable, auto_delete=auto_delete, arguments=rest)

    @property
    def declared_arguments(self) -> dict[str, Any]:
        """The arguments with which it is declared: its type is among them."""
        kind = {} if self.type is None else {TYPE_ARGUMENT: self.type}
        return {**Arguments(self.arguments).plain(), **kind}


@dataclass(frozen=True, kw_only=True)
class BindingSpec:
    """A way from an exchange to a queue or to another exchange; there may be several between the same two."""

    source: str
    destination: str
    destination_type: DestinationType = "queue"
    key: str = ""
    arguments: Mapping[str, Any] = field(default_factory=Arguments)

    def __post_init__(self) -> None:
        _freeze(self, "arguments")
        _check_choice(f"The binding from {self.source!r} to {self.destination!r}", self, "destination_type")


@dataclass(frozen=True, kw_only=True)
class PolicySpec:
    """What the broker gives to every queue or exchange whose name fits a pattern."""

    name: str
    pattern: str
    apply_to: ApplyTo = "all"
    definition: Mapping[str, Any] = field(default_factory=Arguments)
    priority: int = 0

    def __post_init__(self) -> None:
        _freeze(self, "definition")
        _check_choice(f"The policy {self.name!r}", self, "apply_to")


Named = TypeVar("Named", ExchangeSpec, QueueSpec, PolicySpec)


@dataclass(frozen=True, kw_only=True)
class Blueprint:
    """All of one virtual host, in a fixed order: equal blueprints mean the same."""

    vhost: str = "/"
    exchanges: tuple[ExchangeSpec, ...] = ()
    queues: tuple[QueueSpec, ...] = ()
    bindings: tuple[BindingSpec, ...] = ()
    policies: tuple[PolicySpec, ...] = ()

    def __post_init__(self) -> None:
        for name in ("exchanges", "queues", "policies"):
            object.__setattr__(self, name, _by_name(getattr(self, name)))
        object.__setattr__(self, "bindings", tuple(sorted(set(self.bindings), key=_place)))

    def merged(self, other: "Blueprint", *, here: str = "one place", there: str = "another") -> "Blueprint":
        """Both together; raises DefinitionError with all that they say differently, and where each says it."""
        if self.vhost != other.vhost:
            raise DefinitionError(
                f"{here} is about the virtual host {self.vhost!r} and {there} about {other.vhost!r}; choose one."
            )
        mine, theirs = _typed(self.queues, other.queues), _typed(other.queues, self.queues)
        quarrels = [
            *_quarrels(self.exchanges, other.exchanges, here, there),
            *_quarrels(mine, theirs, here, there),
            *_quarrels(self.policies, other.policies, here, there),
        ]
        if quarrels:
            raise DefinitionError("Two definitions do not fit together. " + " ".join(quarrels))
        return Blueprint(
            vhost=self.vhost,
            exchanges=self.exchanges + other.exchanges,
            queues=(*mine, *theirs),
            bindings=self.bindings + other.bindings,
            policies=self.policies + other.policies,
        )

    def exchange(self, name: str) -> ExchangeSpec | None:
        """The exchange of a name, if there is one."""
        return self._named_exchanges.get(name)

    def queue(self, name: str) -> QueueSpec | None:
        """The queue of a name, if there is one."""
        return self._named_queues.get(name)

    def policy(self, name: str) -> PolicySpec | None:
        """The policy of a name, if there is one."""
        return self._named_policies.get(name)

    # There may be thousands, and a plan asks for each of them.

    @cached_property
    def _named_exchanges(self) -> Mapping[str, ExchangeSpec]:
        return {each.name: each for each in self.exchanges}

    @cached_property
    def _named_queues(self) -> Mapping[str, QueueSpec]:
        return {each.name: each for each in self.queues}

    @cached_property
    def _named_policies(self) -> Mapping[str, PolicySpec]:
        return {each.name: each for each in self.policies}


def differing(one: Named, other: Named) -> list[tuple[str, object, object]]:
    """What two of a name say differently: `arguments.x-message-ttl`, and what either says (None where nothing)."""
    found: list[tuple[str, object, object]] = []
    for each in fields(one):
        mine: object = getattr(one, each.name)
        theirs: object = getattr(other, each.name)
        if isinstance(mine, Arguments) and isinstance(theirs, Arguments):
            found += [(f"{each.name}.{name}", had, has) for name, had, has in mine.differing(theirs)]
        elif mine != theirs:
            found.append((each.name, mine, theirs))
    return found


def _by_name(described: Iterable[Named]) -> tuple[Named, ...]:
    found: dict[str, Named] = {}
    for each in described:
        first = found.setdefault(each.name, each)
        if first != each:
            raise DefinitionError(" ".join(_quarrels([first], [each], "one place", "another")))
    return tuple(found[name] for name in sorted(found))


def _typed(mine: Iterable[QueueSpec], theirs: Iterable[QueueSpec]) -> list[QueueSpec]:
    """Who says no type contradicts nobody who says one."""
    told = {each.name: each.type for each in theirs}
    return [replace(each, type=each.type or told.get(each.name)) for each in mine]


def _quarrels(mine: Iterable[Named], theirs: Iterable[Named], here: str, there: str) -> list[str]:
    known = {each.name: each for each in mine}
    found = []
    for each in theirs:
        for name, one, other in differing(known[each.name], each) if each.name in known else []:
            kind = type(each).__name__.removesuffix("Spec").lower()
            found.append(f"The {kind} {each.name!r} has {name}={one!r} in {here} and {other!r} in {there}.")
    return found


def _place(binding: BindingSpec) -> tuple[str, str, str, str, Arguments]:
    arguments = Arguments(binding.arguments)
    return binding.source, binding.destination_type, binding.destination, binding.key, arguments


def _freeze(spec: object, name: str) -> None:
    object.__setattr__(spec, name, Arguments(getattr(spec, name)))


def _check_choice(what: str, spec: object, name: str) -> None:
    choices = get_args({"destination_type": DestinationType, "apply_to": ApplyTo}[name])
    if (value := getattr(spec, name)) not in choices:
        raise DefinitionError(f"{what} has {name}={value!r}; use {', '.join(choices)}.")
