"""Variables become settings, and every mistake is told at once."""

import pytest

from examples.chat.settings import VARIABLES, read_settings
from goatherd.errors import SettingsError


def problems_of(**environment: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        read_settings(environment)
    return list(caught.value.problems)


def test_without_variables_everything_is_goatherds_default() -> None:
    settings = read_settings({"CHAT_MODEL": "  "})
    assert (settings.provider, settings.model) == ("offline", "gpt-4o-mini")
    assert {*settings.of_chat().values(), *settings.of_scan().values()} == {None}


def test_all_mistakes_are_told_at_once_and_secrets_never() -> None:
    told = problems_of(
        CHAT_RABBITMQ_URL="http://user:hunter2@host",
        XREAD_COUNT="0",
        STATE_KEY_PREFIX="chat",
        CHAT_PROVIDER="oracle",
        CHAT_API_BASE="ftp://models",
        CHAT_PORT="70000",
    )
    assert [problem.partition(" ")[0] for problem in told] == [
        "CHAT_RABBITMQ_URL", "XREAD_COUNT", "STATE_KEY_PREFIX", "CHAT_PROVIDER", "CHAT_API_BASE", "CHAT_PORT",
    ]  # fmt: skip
    assert "hunter2" not in " ".join(told)


def test_one_redis_for_all_is_not_told_to_relay_to_itself() -> None:
    one, other = "redis://one:6379/0", "redis://other:6379/0"
    assert read_settings({"REDIS_STREAMS_URL": one, "REDIS_PUBSUB_URL": one}).of_chat()["live_url"] is None
    assert read_settings({"REDIS_STREAMS_URL": one, "REDIS_PUBSUB_URL": other}).of_chat()["live_url"] == other


def test_what_cannot_go_together_is_told() -> None:
    assert problems_of(REDIS_PUBSUB_URL="redis://one") == [
        "REDIS_PUBSUB_URL is set, but REDIS_STREAMS_URL is not: say where the events are kept"
    ]
    [told] = problems_of(STATE_KEY_PREFIX="scan:state")
    assert "the other domain's" in told


def test_a_secret_is_not_shown() -> None:
    shown = repr(read_settings({"CHAT_API_KEY": "sk-pepper", "CHAT_RABBITMQ_URL": "amqp://a:hunter2@host"}))
    assert "sk-pepper" not in shown
    assert "hunter2" not in shown


def test_no_variable_is_read_twice() -> None:
    assert len(set(VARIABLES.values())) == len(VARIABLES)
