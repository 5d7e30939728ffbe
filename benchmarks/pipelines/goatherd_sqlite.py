"""Goatherd: the same runs with messages, records and events in files."""

from benchmarks.lanes.contender import Ordered
from benchmarks.pipelines.goatherd_postgres import SQLITE, GoatherdPipeline

CONTENDER: Ordered = GoatherdPipeline(label="goatherd, SQLite", promise=SQLITE, servers=False)
