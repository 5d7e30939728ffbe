"""How long a broker of some version lets a delivery stay without an ack."""

from goatherd.adapters.rabbitmq.capabilities import capabilities
from goatherd.adapters.rabbitmq.known import KnownQueues
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.ways import Ways
from goatherd.model.topology import HoldLimit, Queue


def limit_on(version: str) -> HoldLimit:
    known = KnownQueues()
    known.lasting["films"] = Queue(name="films", contract=True, arguments={"x-consumer-timeout": 7_200_000})
    return Ways(Names("studio"), known).hold_limit("films", None, capabilities({"version": version}))


def test_an_argument_of_the_queue_counts_where_the_broker_minds_it() -> None:
    said = "x-consumer-timeout of the queue films"
    assert limit_on("3.12.0") == HoldLimit(seconds=7200, known=True, set_by=said)
    assert limit_on("3.11.28") == HoldLimit(seconds=1800, known=False), "it takes back a job of an hour all the same"
