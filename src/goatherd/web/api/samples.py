"""A value that fits a JSON Schema, as an example for people."""

from collections.abc import Mapping
from typing import Any

#: How deep an example goes into what refers to itself.
DEEPEST = 4
#: Of a plain type.
PLAIN: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
FORMATS: Mapping[str, str] = {
    "date-time": "2030-01-01T00:00:00Z",
    "date": "2030-01-01",
    "time": "12:00:00",
    "uuid": "01890a5d-ac96-774b-bcce-b302099a8057",
    "duration": "PT5M",
}


def sample_of(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int = 0) -> Any:
    """The default if there is one, else the first that comes to mind; `named` is what the schema may refer to."""
    told = [schema[word] for word in ("const", "default", "example") if word in schema]
    told += [schema[word][0] for word in ("enum", "examples") if schema.get(word)]
    if told:
        return told[0]
    if depth >= DEEPEST:
        return None
    if "$ref" in schema:
        return sample_of(named.get(schema["$ref"].rpartition("/")[2], {}), named, depth + 1)
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            return sample_of(schema[word][0], named, depth + 1)
    return _by_type(schema, named, depth)


def _by_type(schema: Mapping[str, Any], named: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0] if kind else None
    match kind:
        case "object":
            properties: Mapping[str, Any] = schema.get("properties", {})
            return {name: sample_of(each, named, depth + 1) for name, each in properties.items()}
        case "array":
            items = schema.get("items")
            return [sample_of(items, named, depth + 1)] if isinstance(items, Mapping) else []
        case "string":
            return FORMATS.get(schema.get("format", ""), PLAIN["string"])
        case "integer" | "number" if "minimum" in schema:
            return schema["minimum"]
        case _:
            return PLAIN.get(kind or "")
