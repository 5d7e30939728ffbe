"""JSON Schemas in a few words, for people."""

import json
from collections.abc import Mapping
from typing import Any

#: Words of a schema that say how much, and how they are told.
LIMITS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "{}+ characters",
    "maxLength": "≤ {} characters",
    "maxItems": "≤ {} items",
}


def shape_of(schema: Mapping[str, Any]) -> str:
    """As `list of QueueFacts` or `integer, ≥ 1, ≤ 500`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(shape_of(each) for each in schema[word]))
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema.get("enum", [schema.get("const")]))
    limits = [words.format(schema[name]) for name, words in LIMITS.items() if name in schema]
    return ", ".join([_kind_of(schema), *limits])


def _kind_of(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "any JSON")
    match kind:
        case "array":
            return f"list of {shape_of(schema.get('items', {}))}"
        case "object":
            worth = schema.get("additionalProperties")
            return f"object of {shape_of(worth)}" if isinstance(worth, Mapping) and worth else "object"
        case "string" if "format" in schema:
            return str(schema["format"])
        case _:
            return str(kind)
