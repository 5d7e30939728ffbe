"""Goatherd with its requests on a quorum queue, which is its default; the peers' are classic."""

from benchmarks.contender import Dialogue
from benchmarks.rabbitmq_rpc.goatherd import GoatherdDialogue

CONTENDER: Dialogue = GoatherdDialogue(label="goatherd, quorum", queue_type="quorum")
