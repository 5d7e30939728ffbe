"""The description of the API as a page shows it: by subject, with an example of each request."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goatherd.web.api.samples import sample_of
from goatherd.web.api.shapes import shape_of


@dataclass(frozen=True, kw_only=True)
class Row:
    """A parameter, or a field of an object."""

    name: str
    #: Of a parameter: path, query or header.
    where: str
    shape: str
    required: bool
    about: str


@dataclass(frozen=True, kw_only=True)
class AnswerRow:
    """What may be answered."""

    status: str
    about: str
    shape: str


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One request that can be made."""

    id: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[Row, ...]
    #: The shape of its body, and an example; empty if it has none.
    body: str
    example: str
    answers: tuple[AnswerRow, ...]
    curl: str


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Operations that belong together."""

    name: str
    about: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """An object that is sent or answered."""

    name: str
    about: str
    fields: tuple[Row, ...]


def subjects_of(described: Mapping[str, Any], site: str) -> list[Subject]:
    """All of them, with requests to that site."""
    found = list(_operations(described, site))
    return [
        Subject(
            name=tag["name"],
            about=tag["description"],
            operations=tuple(operation for told, operation in found if told == tag["name"]),
        )
        for tag in described["tags"]
    ]


def shapes_of(described: Mapping[str, Any]) -> list[Shape]:
    """All objects, by name."""
    return [
        Shape(name=name, about=schema.get("description", ""), fields=tuple(_fields(schema)))
        for name, schema in sorted(described["components"]["schemas"].items())
    ]


def _fields(schema: Mapping[str, Any]) -> Iterator[Row]:
    required = schema.get("required", ())
    for name, each in schema.get("properties", {}).items():
        about = each.get("description", "")
        yield Row(name=name, where="", shape=shape_of(each), required=name in required, about=about)


def _operations(described: Mapping[str, Any], site: str) -> Iterator[tuple[str, Operation]]:
    schemas = described["components"]["schemas"]
    for path, methods in described["paths"].items():
        for method, told in methods.items():
            body = told.get("requestBody", {}).get("content", {}).get("application/json", {})
            example = _example(body, schemas)
            yield (
                told["tags"][0],
                Operation(
                    id=told["operationId"],
                    method=method.upper(),
                    path=path,
                    summary=told["summary"],
                    about=told["description"],
                    parameters=tuple(_parameter(each) for each in told.get("parameters", ())),
                    body=shape_of(body["schema"]).removesuffix(" or null") if body else "",
                    example=json.dumps(example, indent=2, ensure_ascii=False) if body else "",
                    answers=tuple(_answer(status, each) for status, each in sorted(told["responses"].items())),
                    curl=_curl(method, site + path, example),
                ),
            )


def _example(body: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    if not body:
        return None
    for each in body.get("examples", {}).values():
        return each["value"]
    made = sample_of(body["schema"], schemas)
    return {name: value for name, value in made.items() if value is not None} if isinstance(made, dict) else made


def _parameter(told: Mapping[str, Any]) -> Row:
    schema = told["schema"]
    about = told.get("description") or schema.get("description", "")
    if "default" in schema and schema["default"] not in ("", None):
        about = f"{about} {json.dumps(schema['default'])}, if it is not given.".strip()
    shape = shape_of(schema).removesuffix(" or null")
    return Row(name=told["name"], where=told["in"], shape=shape, required=told.get("required", False), about=about)


def _answer(status: str, told: Mapping[str, Any]) -> AnswerRow:
    shapes = [shape_of(each["schema"]) for each in told.get("content", {}).values() if each.get("schema")]
    return AnswerRow(status=status, about=told["description"], shape=", ".join(shapes))


def _curl(method: str, address: str, body: Any) -> str:
    words = ["curl", "-H", "Authorization: Bearer $TOKEN"]
    if method != "get":
        words += ["-X", method.upper()]
    if body:
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(body, ensure_ascii=False)]
    quoted = [f'"{word}"' if "$TOKEN" in word else shlex.quote(word) for word in [*words, address]]
    return " ".join(quoted)
