"""Goatherd with a callback queue that the broker names and that is gone with the connection, as the peers have it."""

from benchmarks.contender import Dialogue
from benchmarks.rabbitmq_rpc.goatherd import GoatherdDialogue
from benchmarks.rabbitmq_rpc.promises import confirmed

PROMISE = confirmed("request persistent, both confirmed, answers are gone with the connection")

CONTENDER: Dialogue = GoatherdDialogue(label="goatherd, exclusive", promise=PROMISE, reply_queue="exclusive")
