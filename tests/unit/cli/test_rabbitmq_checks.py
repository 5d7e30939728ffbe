"""What the doctor says about the nodes of a broker."""

from dataclasses import replace

from goatherd.cli.rabbitmq_checks import broker_checks
from goatherd.model.server_facts import BrokerFacts, BrokerNode

GB = 1_000_000_000
NODE = BrokerNode(
    name="one", running=True, disk_alarm=False, memory_alarm=False, disk_free=90 * GB, disk_free_limit=GB, files=10,
    most_files=1000, partitions=(),
)  # fmt: skip


def told(*nodes: BrokerNode, queue_type: str = "quorum") -> list[tuple[str, str]]:
    facts = BrokerFacts(server="http://broker", nodes=nodes, skew=None)
    return [(check.state, check.found) for check in broker_checks(facts, queue_type)]


def test_a_broker_that_is_well() -> None:
    assert told(NODE) == [("well", "1 node with room on disk and in memory")]
    assert told(NODE, queue_type="classic")[0][0] == "well"
    assert told(NODE, replace(NODE, name="two"), replace(NODE, name="three"))[0][0] == "well"


def test_classic_queues_on_several_nodes() -> None:
    [(state, found)] = told(NODE, NODE, NODE, queue_type="classic")
    assert (state, "on one of the 3 nodes" in found) == ("warning", True)


def test_two_nodes_are_no_majority() -> None:
    [(state, found)] = told(NODE, NODE)
    assert (state, found.startswith("2 nodes")) == ("warning", True)


def test_a_disk_that_will_be_short_soon_and_one_that_is() -> None:
    low = replace(NODE, disk_free=GB + 1)
    [(state, found)] = told(low)
    assert (state, found) == ("warning", "node one has 1.0 GB of disk free, with disk_free_limit at 1.0 GB")
    assert told(replace(low, disk_alarm=True))[0][0] == "wrong"
    assert told(replace(NODE, disk_free=None, disk_alarm=True))[0][0] == "wrong"


def test_a_node_that_is_ill_in_other_ways() -> None:
    assert told(replace(NODE, memory_alarm=True))[0][0] == "wrong"
    assert told(replace(NODE, partitions=("two",)))[0][0] == "wrong"
    assert told(replace(NODE, files=950))[0][0] == "warning"
    assert told(replace(NODE, running=False))[0][0] == "warning"
