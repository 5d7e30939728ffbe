"""The resources for RabbitMQ's Messaging Topology Operator are what the app wants, written by our own exporter."""

from goatherd.model.blueprint import Blueprint
from goatherd.model.operator_yaml import Cluster, read_operator_yaml, write_operator_yaml
from tests.deploy.places import TOPOLOGY
from tests.deploy.wanted import wanted_topology


def written(blueprint: Blueprint) -> str:
    """As `goatherd topology export --namespace arcade --cluster rabbitmq` writes it."""
    return write_operator_yaml(blueprint, Cluster(name="rabbitmq"), namespace="arcade")


def test_the_file_is_what_the_app_wants() -> None:
    assert TOPOLOGY.read_text(encoding="utf-8") == written(wanted_topology())


def test_it_can_be_read_again() -> None:
    read = read_operator_yaml(TOPOLOGY.read_text(encoding="utf-8"), str(TOPOLOGY))
    assert read.of("/") == wanted_topology()
    assert list(read.notes) == []
