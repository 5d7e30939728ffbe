"""A file with a topology, whichever of the two kinds it is."""

from goatherd.errors import DefinitionError
from goatherd.model.definitions_json import read_definitions
from goatherd.model.imported import Imported
from goatherd.model.operator_yaml import read_operator_yaml


def read_topology_text(text: str, where: str, vhost: str) -> Imported:
    """Resources of the Messaging Topology Operator, as YAML or JSON, or RabbitMQ's definitions.json.

    `vhost` is whose it is where it does not say so. Raises DefinitionError; also if there is nothing in it, for an
    empty file is more often a mistake than a wish, and nobody would notice.
    """
    # JSON is YAML, too; only the broker's own export has no apiVersion.
    is_export = text.lstrip().startswith("{") and '"apiVersion"' not in text
    found = read_definitions(text, where, vhost) if is_export else read_operator_yaml(text, where)
    if not found.blueprints:
        told = "".join(f"\n  - {each}" for each in found.notes)
        raise DefinitionError(f"{where} says nothing about a topology. Is it the right file?{told}")
    return found
