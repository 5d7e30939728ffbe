"""What things are called in Redis, and how long they stay."""

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
