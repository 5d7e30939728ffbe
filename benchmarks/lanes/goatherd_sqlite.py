"""Goatherd: everything in one SQLite file."""

from benchmarks.lanes.contender import Ordered
from benchmarks.lanes.goatherd_redis import SQLITE, GoatherdLanes

CONTENDER: Ordered = GoatherdLanes(label="goatherd, SQLite", promise=SQLITE, broker="sqlite", lanes="sqlite")
