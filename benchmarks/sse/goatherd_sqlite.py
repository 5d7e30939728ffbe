"""Goatherd: the same gateway, with events in a SQLite file."""

from benchmarks.sse.contender import Gateway
from benchmarks.sse.goatherd_redis import GoatherdGateway

CONTENDER: Gateway = GoatherdGateway(label="goatherd gateway, SQLite", on_redis=False)
