"""The resources of RabbitMQ's Messaging Topology Operator that describe a topology: their members and choices."""

import re
from collections.abc import Mapping
from typing import Any, get_args

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import ApplyTo, DestinationType
from goatherd.model.member_rules import Member, Rules, check_members

API_VERSION = "rabbitmq.com/v1beta1"
#: The queue types that the operator and the broker know by name.
QUEUE_TYPES = ("classic", "quorum", "stream")
#: Kinds of the same group that say nothing about exchanges, queues, bindings and policies; also the cluster itself.
OTHER_KINDS = frozenset(
    ("Federation", "OperatorPolicy", "Permission", "RabbitmqCluster", "SchemaReplication", "Shovel", "SuperStream",
     "TopicPermission", "User")
)  # fmt: skip
#: RFC 1123: what Kubernetes takes as the name of a resource.
RESOURCE_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LONGEST_RESOURCE_NAME = 253

_TEXT, _FLAG, _TABLE = Member(type=str), Member(type=bool), Member(type=dict)
_NAME = Member(type=str, required=True, filled=True)
_DELETION = Member(type=str, choices=("delete", "retain"))
_SECRET: Rules = {"name": _NAME}
_CLUSTER: Rules = {"name": _TEXT, "namespace": _TEXT, "connectionSecret": Member(type=dict, inner=_SECRET)}
_EVERYWHERE: Rules = {"rabbitmqClusterReference": Member(type=dict, required=True, inner=_CLUSTER)}

SPECS: Mapping[str, Rules] = {
    "Vhost": {
        "name": _NAME,
        "tracing": _FLAG,
        "tags": Member(type=list),
        "defaultQueueType": Member(type=str, choices=QUEUE_TYPES),
        "limits": Member(type=dict, inner={"connections": Member(type=int), "queues": Member(type=int)}),
        "deletionPolicy": _DELETION,
        **_EVERYWHERE,
    },
    "Exchange": {
        "name": _NAME,
        "vhost": _TEXT,
        "type": _TEXT,
        "durable": _FLAG,
        "autoDelete": _FLAG,
        "arguments": _TABLE,
        **_EVERYWHERE,
    },
    "Queue": {
        "name": _NAME,
        "vhost": _TEXT,
        "type": _TEXT,
        "durable": _FLAG,
        "autoDelete": _FLAG,
        "deleteIfEmpty": _FLAG,
        "deleteIfUnused": _FLAG,
        "deletionPolicy": _DELETION,
        "arguments": _TABLE,
        **_EVERYWHERE,
    },
    "Binding": {
        "vhost": _TEXT,
        "source": _TEXT,
        "destination": _TEXT,
        "destinationType": Member(type=str, choices=get_args(DestinationType)),
        "routingKey": _TEXT,
        "arguments": _TABLE,
        **_EVERYWHERE,
    },
    "Policy": {
        "name": _NAME,
        "vhost": _TEXT,
        "pattern": Member(type=str, required=True),
        "applyTo": Member(type=str, choices=get_args(ApplyTo)),
        "priority": Member(type=int),
        "definition": Member(type=dict, required=True),
        **_EVERYWHERE,
    },
}  # fmt: skip


def check_resource(resource: Mapping[str, Any], where: str) -> None:
    """Raise DefinitionError for what the operator would not take, naming the place and the member."""
    rules: Rules = {
        "apiVersion": Member(type=str, required=True, choices=(API_VERSION,)),
        "kind": Member(type=str, required=True, choices=tuple(SPECS)),
        "metadata": Member(type=dict, required=True),
        "spec": Member(type=dict, required=True, inner=SPECS.get(str(resource.get("kind")))),
        "status": _TABLE,
    }
    check_members(resource, rules, where)
    _check_resource_name(resource["metadata"].get("name"), where)
    reference = resource["spec"]["rabbitmqClusterReference"]
    if ("name" in reference) == ("connectionSecret" in reference):
        raise DefinitionError(f"{where}: spec.rabbitmqClusterReference needs either name or connectionSecret.")


def _check_resource_name(name: object, where: str) -> None:
    if not isinstance(name, str) or len(name) > LONGEST_RESOURCE_NAME or not RESOURCE_NAME.fullmatch(name):
        raise DefinitionError(
            f"{where}: metadata.name is {name!r}; use at most {LONGEST_RESOURCE_NAME} small letters, digits, '-' and "
            f"'.', with a letter or digit at either end of each part."
        )
