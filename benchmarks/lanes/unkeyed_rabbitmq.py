"""The same task of Goatherd without a key, on the same RabbitMQ: what order costs is told against it."""

from benchmarks.lanes.contender import Ordered
from benchmarks.lanes.goatherd_redis import RABBITMQ, GoatherdLanes

CONTENDER: Ordered = GoatherdLanes(label="no keys, RabbitMQ", promise=RABBITMQ, broker="rabbitmq", lanes=None)
