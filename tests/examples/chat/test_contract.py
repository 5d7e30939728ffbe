"""Every setting of the contract by name, and what it is without being set."""

from typing import Any

import pytest

from examples.chat.settings import read_settings
from goatherd import Goatherd

AMQP, REDIS, OTHER = "amqp://rabbit/eco2", "redis://streams:6379/0", "redis://pubsub:6379/0"

#: Variable, what is written, the setting of Goatherd, its value, and its value without the variable.
SETTINGS: list[tuple[str, str, str, Any, Any]] = [
    ("CHAT_RABBITMQ_URL", AMQP, "broker_url", AMQP, "sqlite:///.goatherd/chat.db"),
    ("REDIS_STREAMS_URL", REDIS, "events_url", REDIS, None),
    ("REDIS_PUBSUB_URL", OTHER, "live_url", OTHER, None),
    ("CONSUMER_GROUP", "others", "router_group", "others", "eventrouter"),
    ("SHARD_COUNT", "8", "event_shards", 8, 4),
    ("CHAT_SHARD_COUNT", "2", "event_shards", 2, 4),
    ("XREAD_BLOCK_MS", "250", "router_block", 0.25, 5.0),
    ("XREAD_COUNT", "7", "router_batch", 7, 100),
    ("RECLAIM_MIN_IDLE_MS", "15000", "router_reclaim_idle", 15.0, 300.0),
    ("STATE_TTL", "60", "event_ttl", 60.0, 3600.0),
    ("SSE_KEEPALIVE_INTERVAL", "3", "gateway_keepalive", 3.0, 15.0),
    ("SSE_MAX_WAIT_SECONDS", "30", "gateway_max_wait", 30.0, 300.0),
    ("SSE_QUEUE_MAXSIZE", "10", "gateway_buffer", 10, 100),
    ("PUBSUB_CHANNEL_PREFIX", "sse:mine", "live_prefix", "sse:mine", "sse:events"),
    ("STATE_KEY_PREFIX", "talk:state", "event_prefix", "talk", None),
    ("STATE_TIMEOUT_SECONDS", "1.5", "gateway_state_timeout", 1.5, 5.0),
]


@pytest.mark.parametrize(("variable", "written", "setting", "value", "otherwise"), SETTINGS)
def test_a_setting(variable: str, written: str, setting: str, value: object, otherwise: object) -> None:
    needed = {"REDIS_STREAMS_URL": REDIS} if variable == "REDIS_PUBSUB_URL" else {}
    told = Goatherd("chat", **read_settings({variable: written, **needed}).of_chat()).settings
    assert getattr(told, setting) == value
    assert getattr(Goatherd("chat", **read_settings({}).of_chat()).settings, setting) == otherwise


def test_chat_and_scan_have_shards_of_their_own() -> None:
    settings = read_settings({"SHARD_COUNT": "8", "CHAT_SHARD_COUNT": "2", "STATE_KEY_PREFIX": "talk:state"})
    assert (settings.of_chat()["event_shards"], settings.of_scan()["event_shards"]) == (2, 8)
    assert "event_prefix" not in settings.of_scan()
