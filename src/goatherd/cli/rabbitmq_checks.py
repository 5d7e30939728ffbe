"""What `goatherd doctor` says about the nodes of a RabbitMQ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well, wrong
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.model.server_facts import BrokerFacts, BrokerNode

#: Bytes above its limit from which on a disk is nearly full, and the part of its files from which on a node has few.
LITTLE_SPACE, FEW_FILES = 1_000_000_000, 0.9
#: The fewest nodes of which one may fail without stopping the others.
MAJORITY = 3


def broker_checks(facts: BrokerFacts, queue_type: str) -> Iterator[Check]:
    """All that is not as it should be, or that it is."""
    problems = [*_cluster(facts, queue_type), *(check for node in facts.nodes for check in _node(node))]
    if problems:
        yield from problems
        return
    yield well("broker", f"{counted(len(facts.nodes), 'node')} with room on disk and in memory")


def _cluster(facts: BrokerFacts, queue_type: str) -> Iterator[Check]:
    number = len(facts.nodes)
    if number > 1 and queue_type == "classic":
        found = f"our own queues are classic, so each is on one of the {number} nodes, and is away when that node is"
        mend = "Set GOATHERD_QUEUE_TYPE=quorum, then `goatherd topology plan` says how queues that exist are replaced."
        yield warning("broker", found, mend)
    elif 1 < number < MAJORITY:
        found = f"{counted(number, 'node')}: when one is away, the quorum queues on the other stand still"
        yield warning("broker", found, "Add a third node: a majority of them must be there.")


def _node(node: BrokerNode) -> Iterator[Check]:
    if not node.running:
        yield warning(
            "broker",
            f"node {node.name} does not run",
            f"Start it, or take it out: rabbitmqctl forget_cluster_node {node.name}",
        )
        return
    if node.partitions:
        found = f"node {node.name} has lost sight of {', '.join(node.partitions)}: the cluster is split"
        yield wrong("broker", found, "Mend the network, then restart the nodes of the smaller side.")
    if node.memory_alarm:
        mend = (
            "Give it memory, raise the limit (`rabbitmqctl set_vm_memory_high_watermark 0.6`, and rabbitmq.conf), or "
            "let workers empty its queues; till then it takes none."
        )
        yield wrong("broker", f"node {node.name} has its memory alarm on, and takes no messages", mend)
    yield from _disk(node)
    if node.files is not None and node.most_files and node.files > FEW_FILES * node.most_files:
        found = f"node {node.name} has {node.files:,} of {node.most_files:,} files and connections open"
        yield warning("broker", found, "Raise its limit of open files (LimitNOFILE= of its systemd unit, ulimit -n).")


def _disk(node: BrokerNode) -> Iterator[Check]:
    if node.disk_free is None or node.disk_free_limit is None:
        if node.disk_alarm:
            yield wrong("broker", f"node {node.name} has its disk alarm on, and takes no messages", "Free its disk.")
        return
    told = (
        f"node {node.name} has {_gb(node.disk_free)} of disk free, with disk_free_limit at {_gb(node.disk_free_limit)}"
    )
    if node.disk_alarm:
        mend = (
            "Free its disk, or lower disk_free_limit if that is more than it needs (`rabbitmqctl set_disk_free_limit "
            "2GB`, and in rabbitmq.conf); till then it takes no messages."
        )
        yield wrong("broker", told, mend)
    elif node.disk_free < node.disk_free_limit + LITTLE_SPACE:
        yield warning("broker", told, "Free its disk soon: at the limit it takes no more messages.")


def _gb(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
