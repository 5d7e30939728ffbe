"""The arguments of a task as fields of a form, and what was written into them as arguments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from goatherd.desk.tasks import ParameterFacts, TaskFacts

FieldKind: TypeAlias = Literal["text", "secret", "integer", "number", "checkbox", "select", "json"]

#: Names of fields begin so, that no argument is taken for a field of our own.
PREFIX = "argument."
#: What a ticked box sends, and a choice that means: none.
TICKED, NONE = "on", "null"


@dataclass(frozen=True, kw_only=True)
class TaskField:
    """One argument as people fill it in."""

    name: str
    kind: FieldKind
    required: bool
    #: Whether it may be nothing at all.
    nullable: bool
    #: As it stands in the field at first.
    default: str
    #: Of a select: the JSON of each, and how it is shown.
    choices: tuple[tuple[str, str], ...]
    #: What is said beside it.
    hint: str

    @property
    def id(self) -> str:
        """The name of the field in the form."""
        return PREFIX + self.name


def fields_of(task: TaskFacts) -> list[TaskField]:
    """All of a task, in the order of its code."""
    return [_field(each, task.schema.get("$defs", {})) for each in task.parameters]


def read(fields: list[TaskField], form: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments that were filled in, and what cannot be read, by name; those left as they were are left out."""
    arguments: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for field in fields:
        written = form.get(field.id, "")
        # Who leaves the default alone wants whatever the task's code has for it by then.
        if not field.required and written == field.default:
            continue
        try:
            arguments[field.name] = _value(field, written)
        except ValueError as error:
            problems[field.name] = str(error)
    return arguments, problems


def _value(field: TaskField, written: str) -> Any:
    if field.nullable and not written.strip():
        return None
    match field.kind:
        case "checkbox":
            return written == TICKED
        case "integer" | "number":
            return _number(field.kind, written)
        case "json" | "select":
            return _json(written)
        case _:
            return written


def _number(kind: FieldKind, written: str) -> int | float:
    try:
        return int(written) if kind == "integer" else float(written)
    except ValueError:
        raise ValueError("write a whole number" if kind == "integer" else "write a number") from None


def _json(written: str) -> Any:
    try:
        return msgspec.json.decode(written)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"this is no JSON: {error}") from None


def _field(parameter: ParameterFacts, named: Mapping[str, Any]) -> TaskField:
    schema, nullable = _plain(parameter.schema, named)
    kind = _kind(schema)
    if kind == "text" and parameter.secret:
        kind = "secret"
    return TaskField(
        name=parameter.name,
        kind=kind,
        required=parameter.required,
        nullable=nullable,
        default="" if parameter.required or parameter.secret else _written(kind, parameter.default),
        choices=tuple((_encoded(each), str(each)) for each in schema.get("enum", ())),
        hint=_hint(kind, schema),
    )


def _plain(schema: Mapping[str, Any], named: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """What it comes to without null and without references, and whether it may be null."""
    choices = schema.get("anyOf", [schema])
    rest = [each for each in choices if each.get("type") != "null"]
    if len(rest) != 1:
        return {}, False
    [only] = rest
    if "$ref" in only:
        only = named.get(only["$ref"].rpartition("/")[2], {})
    if "enum" in only and None in only["enum"]:
        return {**only, "enum": [each for each in only["enum"] if each is not None]}, True
    return only, len(choices) > 1


def _kind(schema: Mapping[str, Any]) -> FieldKind:
    if schema.get("enum"):
        return "select"
    kinds: dict[Any, FieldKind] = {"string": "text", "integer": "integer", "number": "number", "boolean": "checkbox"}
    told = schema.get("type")
    return kinds.get(told, "json") if isinstance(told, str) else "json"


def _written(kind: FieldKind, default: Any) -> str:
    if default is None:
        return ""
    if kind == "checkbox":
        return TICKED if default is True else ""
    return str(default) if kind in ("text", "integer", "number") else _encoded(default)


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode()


LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "format": "{}",
    "pattern": "like {}",
}


def _hint(kind: FieldKind, schema: Mapping[str, Any]) -> str:
    told = [words.format(schema[name]) for name, words in LIMITS.items() if name in schema]
    names = {"integer": "whole number", "number": "number", "json": "JSON"}
    return ", ".join([names[kind], *told] if kind in names else told)
