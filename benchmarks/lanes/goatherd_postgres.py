"""Goatherd: jobs without a key on RabbitMQ, lanes on PostgreSQL."""

from benchmarks.lanes.contender import Ordered
from benchmarks.lanes.goatherd_redis import POSTGRES, GoatherdLanes

CONTENDER: Ordered = GoatherdLanes(
    label="goatherd, PostgreSQL", promise=POSTGRES, broker="rabbitmq", lanes="postgres"
)  # fmt: skip
