"""A task's arguments: bound and checked at the sender, read and checked again at the worker."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from goatherd.errors import DefinitionError, InvalidArguments


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
        self.names = tuple(parameter.name for parameter in parameters)
        self.types = {name: types.get(name, Any) for name in self.names}
        self.required = frozenset(p.name for p in parameters if p.default is p.empty)
        self.positional_only = tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY)
        self.by_position = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
        self.result = result
        self.whole_body = whole_body
        check_readable(task, {**self.types, "return": result})
        self._encoder = msgspec.json.Encoder(enc_hook=_to_plain)
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self._wire_type(), dec_hook=_from_plain)

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

    def taking_whole_body(self) -> "Signature":
        """The same signature for a queue whose body is the single positional-only argument itself."""
        taken = object.__new__(Signature)
        taken.__dict__.update(self.__dict__)
        taken.whole_body = True
        taken._decoder = msgspec.json.Decoder(self.types[self.names[0]], dec_hook=_from_plain)
        return taken

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name; raises InvalidArguments for a missing, unknown or doubled one."""
        if len(args) > len(self.by_position):
            raise InvalidArguments(
                self.task, {"arguments": f"{len(args)} given by position, at most {len(self.by_position)} taken"}
            )
        bound = dict(zip(self.by_position, args, strict=False))
        if kwargs:
            problems = {name: "given twice" for name in kwargs if name in bound}
            problems |= {name: self._unknown(name) for name in kwargs if name not in self.types}
            problems |= {name: "only taken by position" for name in kwargs if name in self.positional_only}
            if problems:
                raise InvalidArguments(self.task, problems)
            bound.update(kwargs)
        if len(bound) < len(self.names):
            missing = {name: "missing" for name in self.names if name in self.required and name not in bound}
            if missing:
                raise InvalidArguments(self.task, missing)
        return bound

    def encode(self, bound: Mapping[str, Any]) -> bytes:
        """The payload as JSON, read back once so that what the worker would refuse is refused here."""
        value = bound[self.names[0]] if self.whole_body else bound
        try:
            payload = self._encoder.encode(value)
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
            return Arguments((read,), {})
        named: dict[str, Any] = msgspec.structs.asdict(read)
        if len(self.required) < len(self.names):
            named = {name: value for name, value in named.items() if value is not msgspec.UNSET}
        if not self.positional_only:
            return Arguments((), named)
        return Arguments(tuple(named.pop(name) for name in self.positional_only if name in named), named)

    def by_name(self, positional: Sequence[msgspec.Raw], named: msgspec.Raw) -> bytes:
        """The payload of a layout that also has arguments by position; raises Misfit."""
        if len(positional) > len(self.by_position):
            raise Misfit({"arguments": f"{len(positional)} by position, at most {len(self.by_position)} taken"})
        try:
            given = msgspec.json.decode(named, type=dict[str, msgspec.Raw])
        except msgspec.DecodeError as error:
            raise Misfit({"arguments": _told(error)}) from error
        return msgspec.json.encode({**dict(zip(self.by_position, positional, strict=False)), **given})

    def encode_result(self, result: Any) -> bytes:
        """What the function returned, as JSON."""
        return self._encoder.encode(result)

    def decode_result(self, encoded: bytes | msgspec.Raw) -> Any:
        """What the function returned, as the type that it says it returns."""
        return msgspec.json.decode(encoded, type=self.result, dec_hook=_from_plain)

    def _wire_type(self) -> Any:
        fields = [
            (name, self.types[name]) if name in self.required else (name, self.types[name], msgspec.UNSET)
            for name in sorted(self.names, key=lambda name: name not in self.required)
        ]
        return msgspec.defstruct("Payload", fields, kw_only=True, forbid_unknown_fields=True)

    def _explain(self, bound: Mapping[str, Any], error: Exception) -> dict[str, str]:
        """Every argument that is wrong, not only the first one that was met."""
        problems = {}
        for name, value in bound.items():
            try:
                msgspec.json.decode(self._encoder.encode(value), type=self.types[name], dec_hook=_from_plain)
            except Exception as problem:  # noqa: BLE001 - each is told
                problems[name] = _told(problem)
        return problems or {"arguments": _told(error)}

    def _misfit(self, payload: bytes | msgspec.Raw, error: Exception) -> Misfit:
        try:
            given = msgspec.json.decode(payload, type=dict[str, msgspec.Raw])
        except msgspec.DecodeError:
            return Misfit({"arguments": _told(error)})
        unknown = frozenset(given) - frozenset(self.names) if not self.whole_body else frozenset()
        if unknown:
            return Misfit({name: self._unknown(name) for name in sorted(unknown)}, unknown)
        return Misfit({"arguments": _told(error)})

    def _unknown(self, name: str) -> str:
        return f"not an argument of this task (it takes {', '.join(self.names) or 'none'})"


def check_readable(task: str, types: Mapping[str, Any]) -> None:
    """Raise DefinitionError for a type that cannot be read from JSON."""
    for name, annotation in types.items():
        try:
            info = msgspec.inspect.type_info(annotation)
        except TypeError as error:
            raise DefinitionError(f"{name!r} of task {task!r} cannot be read from JSON: {error}") from error
        for foreign in _custom_types(info):
            if not _is_pydantic(foreign):
                raise DefinitionError(
                    f"{name!r} of task {task!r} is a {foreign.__name__}, which cannot be read from JSON. Use plain "
                    f"types, a dataclass, a TypedDict, a msgspec.Struct or a pydantic model, or pass its id."
                )


def _custom_types(info: msgspec.inspect.Type) -> Iterator[type]:
    """The types in an annotation that msgspec leaves to others, however deep they stand."""
    seen: set[int] = set()
    ahead: list[Any] = [info]
    while ahead:
        node = ahead.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, msgspec.inspect.CustomType):
            yield node.cls
        for part in ("item_type", "key_type", "value_type", "type"):
            if isinstance(inner := getattr(node, part, None), msgspec.inspect.Type):
                ahead.append(inner)
        for parts in ("types", "item_types", "fields"):
            ahead.extend(getattr(node, parts, ()))


def _is_pydantic(candidate: type) -> bool:
    return hasattr(candidate, "model_validate") and hasattr(candidate, "model_dump")


def _to_plain(value: Any) -> Any:
    if _is_pydantic(type(value)):
        return value.model_dump(mode="json")
    raise NotImplementedError(f"a {type(value).__name__} cannot be written as JSON")


def _from_plain(wanted: type[Any], value: Any) -> Any:
    if _is_pydantic(wanted):
        return wanted.model_validate(value)
    raise NotImplementedError(f"a {wanted.__name__} cannot be read from JSON")


def _told(error: Exception) -> str:
    return str(error).replace("\n", " ").removesuffix(" - at `$`")
