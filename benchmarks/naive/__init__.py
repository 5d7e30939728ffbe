"""The plain way to stream a job's events, written down as it is usually drawn, to see how much it loses.

A worker adds events to a sharded Redis stream; a router reads them as a consumer group, marks each as published and
publishes it; a gateway shows the state that it finds, subscribes, and passes on what it hears through a queue for each
client. It is a baseline for fault runs and nothing else: never use it, and the package never imports it.

It is not made worse than it must be: stages and tokens of an attempt share one counter, so that no event is dropped
because of its kind, and a silent job's state is looked at again and again, so that its end is seen.
"""

import zlib

PREFIX = "naive"
SHARDS = 4
GROUP = "eventrouter"
#: Seconds for which states, texts and marks of published events are kept.
TTL, MARK_TTL = 3600, 7200
#: Tokens after which the text so far is saved.
SAVE_EVERY = 10


def shard_of(job: str) -> str:
    """The stream in which a job's events are."""
    return f"{PREFIX}:events:{zlib.crc32(job.encode()) % SHARDS}"


def channel_of(job: str) -> str:
    """Where a job's events are published."""
    return f"{PREFIX}:sse:events:{job}"


def state_of(job: str) -> str:
    """The hash that says how a job stands."""
    return f"{PREFIX}:state:{job}"


def text_of(job: str) -> str:
    """The hash with a job's text, as of some token."""
    return f"{PREFIX}:token_state:{job}"


def tokens_of(job: str) -> str:
    """The stream of a job's tokens, for those who come back."""
    return f"{PREFIX}:tokens:{job}"
