"""Types of arguments as JSON Schema, for forms and for the description of the HTTP API."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from goatherd.model.json_types import to_plain
from goatherd.model.redaction import is_hidden
from goatherd.model.signature import Signature

#: What fits every type that says no more of itself.
ANY_JSON: Mapping[str, Any] = {"description": "any JSON"}

_REFERENCE = "#/$defs/{name}"


def schema_of(annotation: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A type as a schema, and the schemas that it refers to by name; one that has none takes any JSON."""
    others: dict[str, Any] = {}

    def foreign(wanted: type) -> dict[str, Any]:
        """Of a type that msgspec leaves to others."""
        if not hasattr(wanted, "model_json_schema"):
            return dict(ANY_JSON)
        told: dict[str, Any] = wanted.model_json_schema(ref_template=_REFERENCE.replace("{name}", "{model}"))
        others.update(told.pop("$defs", {}))
        return told

    try:
        [schema], named = msgspec.json.schema_components([annotation], schema_hook=foreign, ref_template=_REFERENCE)
    except Exception:  # noqa: BLE001 - the user's own types may raise anything; whoever fills the form is told by checks
        return dict(ANY_JSON), {}
    return schema, {**others, **named}


def schema_of_arguments(signature: Signature, hidden: Collection[str] = ()) -> dict[str, Any]:
    """All arguments of a task by name, as the schema of one object, without the defaults of those that are hidden."""
    properties: dict[str, Any] = {}
    named: dict[str, Any] = {}
    for name in signature.names:
        properties[name], others = schema_of(signature.types[name])
        named |= others
        if name not in signature.required:
            default = default_of(signature, name)
            if default is not msgspec.UNSET and not (default and is_hidden(name, hidden)):
                properties[name] = {**properties[name], "default": default}
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if signature.required:
        schema["required"] = [name for name in signature.names if name in signature.required]
    return {**schema, "$defs": named} if named else schema


def default_of(signature: Signature, name: str) -> Any:
    """The default of an argument as plain values; UNSET if it cannot be written as JSON."""
    try:
        plain = msgspec.to_builtins(signature.argument({}, name), enc_hook=to_plain)
        msgspec.json.encode(plain)
    except Exception:  # noqa: BLE001 - a default may be anything, and what is left out is filled in by the task itself
        return msgspec.UNSET
    return plain
