"""Goatherd with a plain `def` task, which runs in a thread as its peers' jobs do."""

from benchmarks.contender import Contender
from benchmarks.sqlite.goatherd import GoatherdContender

CONTENDER: Contender = GoatherdContender(label="goatherd, def tasks", plain=True)
