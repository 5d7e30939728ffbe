"""The resources for RabbitMQ's Messaging Topology Operator are what the app wants, written by our own exporter."""

from goatherd.model.operator_yaml import read_operator_yaml
from tests.deploy.places import TOPOLOGY
from tests.deploy.wanted import exported_topology, wanted_topology


def test_the_file_is_what_the_documented_command_writes() -> None:
    assert TOPOLOGY.read_text(encoding="utf-8") == exported_topology(), "write it anew as docs/howto/deploy.md says"


def test_it_can_be_read_again() -> None:
    read = read_operator_yaml(TOPOLOGY.read_text(encoding="utf-8"), str(TOPOLOGY))
    assert read.of("/") == wanted_topology()
    assert list(read.notes) == []
