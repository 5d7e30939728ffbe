"""The same task of Goatherd without a key, in a SQLite file."""

from benchmarks.lanes.contender import Ordered
from benchmarks.lanes.goatherd_redis import SQLITE, GoatherdLanes

CONTENDER: Ordered = GoatherdLanes(label="no keys, SQLite", promise=SQLITE, broker="sqlite", lanes=None)
