"""A task's arguments: bound and checked at the sender, read and checked again at the worker."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.model.envelope import BROKEN
from goatherd.model.json_types import check_readable, from_plain, has_odd_number, to_plain


class Arguments(NamedTuple):
    """What the function is called with."""

    positional: tuple[Any, ...]
    named: dict[str, Any]


class Misfit(Exception):
    """A payload that does not fit the signature; `unknown` are arguments that this version does not have."""

    def __init__(self, problems: Mapping[str, str], unknown: frozenset[str] = frozenset()) -> None:
        self.problems = dict(problems)
        self.unknown = unknown
        super().__init__("; ".join(f"{name}: {problem}" for name, problem in self.problems.items()))


class Signature:
    """The parameters of one task, without the context."""

    def __init__(
        self,
        task: str,
        parameters: Sequence[inspect.Parameter],
        types: Mapping[str, Any],
        result: Any = Any,
        *,
        whole_body: bool = False,
    ) -> None:
        self.task = task
        self._parameters = tuple(parameters)
        self.names = tuple(parameter.name for parameter in parameters)
        self.types = {name: types.get(name, Any) for name in self.names}
        self.required = frozenset(p.name for p in parameters if p.default is p.empty)
        self._defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.positional_only = tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY)
        self.by_position = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
        self.result = result
        self.whole_body = whole_body
        #: What comes before all arguments that are sent: the name that its queue tells.
        self._leading: tuple[Any, ...] = ()
        check_readable(task, {**self.types, "return": result})
        self._encoder = msgspec.json.Encoder(enc_hook=to_plain)
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self._wire_type(), dec_hook=from_plain)

    @classmethod
    def of(cls, function: Callable[..., Any], task: str, skip: int, hints: Mapping[str, Any]) -> "Signature":
        """Read a function's parameters, leaving out the first `skip`; `hints` are its resolved annotations."""
        parameters = list(inspect.signature(function).parameters.values())[skip:]
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise DefinitionError(
                    f"Task {task!r} takes *{parameter.name}: a job's arguments are checked by name, so each "
                    f"needs a parameter of its own; use a list or dict parameter instead."
                )
        return cls(task, parameters, hints, hints.get("return", Any))

    def first(self, count: int) -> "Signature":
        """The same signature for calls that give so many arguments; parameters after them keep their defaults."""
        return Signature(self.task, self._parameters[:count], self.types, self.result)

    def without_first(self) -> "Signature":
        """The same signature where the first argument is not sent but known otherwise."""
        return Signature(self.task, self._parameters[1:], self.types, self.result)

    def led_by(self, value: Any) -> "Signature":
        """The same signature of a function that is given this value before all others."""
        led = self._copy()
        led._leading = (value,)
        return led

    def taking_whole_body(self) -> "Signature":
        """The same signature for a queue whose body is the single positional-only argument itself."""
        taken = self._copy()
        taken.whole_body = True
        taken._decoder = msgspec.json.Decoder(self.types[self.names[0]], dec_hook=from_plain)
        return taken

    def _copy(self) -> "Signature":
        copied = object.__new__(Signature)
        copied.__dict__.update(self.__dict__)
        return copied

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name; raises InvalidArguments with every missing, unknown or doubled one."""
        by_position = dict(zip(self.by_position, args, strict=False))
        bound = {**by_position, **kwargs}
        problems = {name: problem for name in kwargs if (problem := self._wrongly_named(name, by_position))}
        problems |= self._missing(bound)
        if len(args) > len(self.by_position):
            problems["arguments"] = self._too_many(len(args))
        if problems:
            raise InvalidArguments(self.task, problems)
        return bound

    def argument(self, bound: Mapping[str, Any], name: str) -> Any:
        """One argument, or its default."""
        return bound[name] if name in bound else self._defaults[name]

    def complete(self, bound: Mapping[str, Any]) -> Arguments:
        """What to call a function of the same parameters with, defaults filled in."""
        named = {**self._defaults, **bound}
        positional = tuple(named.pop(name) for name in self.positional_only)
        return Arguments((*self._leading, *positional), named)

    def encode(self, bound: Mapping[str, Any]) -> bytes:
        """The payload as JSON, read back once so that what the worker would refuse is refused here."""
        value = bound.get(self.names[0], self._defaults.get(self.names[0])) if self.whole_body else bound
        try:
            payload = self._encode(value)
            self._decoder.decode(payload)
        except Exception as error:  # the user's own types may raise anything while they are read
            raise InvalidArguments(self.task, self._explain(bound, error)) from error
        return payload

    def decode(self, payload: bytes | msgspec.Raw) -> Arguments:
        """What to call the function with; raises Misfit."""
        try:
            read = self._decoder.decode(payload)
        except Exception as error:  # the user's own types may raise anything while they are read
            raise self._misfit(payload, error) from error
        if self.whole_body:
            return Arguments((*self._leading, read), {})
        named: dict[str, Any] = dict(zip(self.names, msgspec.structs.astuple(read), strict=True))
        if len(self.required) < len(self.names):
            named = {name: value for name, value in named.items() if value is not msgspec.UNSET}
        if not self.positional_only:
            return Arguments(self._leading, named)
        positional = tuple(named.pop(name) if name in named else self._defaults[name] for name in self.positional_only)
        return Arguments((*self._leading, *positional), named)

    def read_back(self, payload: bytes) -> dict[str, Any]:
        """The arguments by name as the function will get them, from a payload that `encode` made."""
        positional, named = self.decode(payload)
        names = self.names if self.whole_body else self.positional_only
        return {**dict(zip(names, positional[len(self._leading) :], strict=False)), **named}

    def by_name(self, positional: Sequence[msgspec.Raw], named: msgspec.Raw) -> bytes:
        """The payload of a layout that also has arguments by position; raises Misfit."""
        if len(positional) > len(self.by_position):
            raise Misfit({"arguments": self._too_many(len(positional))})
        try:
            given = msgspec.json.decode(named, type=dict[str, msgspec.Raw])
        except BROKEN as error:
            raise Misfit({"arguments": _told(error)}) from error
        by_position = dict(zip(self.by_position, positional, strict=False))
        if twice := by_position.keys() & given.keys():
            raise Misfit(dict.fromkeys(sorted(twice), "given twice"))
        return msgspec.json.encode({**by_position, **given})

    def encode_result(self, result: Any) -> bytes:
        """What the function returned, as JSON; raises what its own types raise, and ValueError for NaN."""
        return self._encode(result)

    def decode_result(self, encoded: bytes | msgspec.Raw) -> Any:
        """What the function returned, as the type that it says it returns."""
        return msgspec.json.decode(encoded, type=self.result, dec_hook=from_plain)

    @cached_property
    def may_give_nothing(self) -> bool:
        """Whether None is something that it may return."""
        try:
            self.decode_result(b"null")
        except Exception:  # noqa: BLE001 - the user's own types may raise anything while they are read
            return False
        return True

    def _wire_type(self) -> Any:
        # Fields are numbered and only named so on the wire, for not every parameter's name can be a field's.
        names = {f"field_{number}": name for number, name in enumerate(self.names)}
        fields = [
            (field, self.types[name]) if name in self.required else (field, self.types[name], msgspec.UNSET)
            for field, name in names.items()
        ]
        return msgspec.defstruct("Payload", fields, kw_only=True, forbid_unknown_fields=True, rename=names)

    def _encode(self, value: Any) -> bytes:
        encoded = self._encoder.encode(value)
        # JSON has no NaN, and the encoder writes null for it; where null is allowed, the number would silently be lost.
        if b"null" in encoded and has_odd_number(msgspec.to_builtins(value, enc_hook=to_plain)):
            raise ValueError("NaN and infinite numbers cannot be written as JSON")
        return encoded

    def _explain(self, bound: Mapping[str, Any], error: Exception) -> dict[str, str]:
        """Every argument that is wrong, not only the first one that was met."""
        problems = {}
        for name, value in bound.items():
            try:
                self._read(name, self._encode(value))
            except Exception as problem:  # noqa: BLE001 - each is told
                problems[name] = _told(problem)
        return problems or {"arguments": _told(error)}

    def _misfit(self, payload: bytes | msgspec.Raw, error: Exception) -> Misfit:
        """Everything that is wrong with a payload, not only what was met first."""
        if self.whole_body:
            return Misfit({self.names[0]: _told(error)})
        try:
            given = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
        except BROKEN:
            return Misfit({"arguments": _told(error)})
        problems = self._missing(given)
        for name, value in given.items():
            try:
                self._read(name, value)
            except Exception as problem:  # noqa: BLE001 - each is told
                problems[name] = _told(problem)
        return Misfit(problems or {"arguments": _told(error)}, frozenset(given) - frozenset(self.names))

    def _read(self, name: str, value: bytes | msgspec.Raw) -> Any:
        if name not in self.types:
            raise TypeError(self._unknown(name))
        return msgspec.json.decode(value, type=self.types[name], dec_hook=from_plain)

    def _missing(self, given: Mapping[str, Any]) -> dict[str, str]:
        return {name: "missing" for name in self.names if name in self.required and name not in given}

    def _wrongly_named(self, name: str, by_position: Mapping[str, Any]) -> str | None:
        if name not in self.types:
            return self._unknown(name)
        if name in by_position:
            return "given twice"
        return "only taken by position" if name in self.positional_only else None

    def _unknown(self, name: str) -> str:
        return f"not an argument of this task (it takes {', '.join(self.names) or 'none'})"

    def _too_many(self, given: int) -> str:
        return f"{given} given by position, at most {len(self.by_position)} taken"


def _told(error: Exception) -> str:
    return str(error).replace("\n", " ").removesuffix(" - at `$`")
