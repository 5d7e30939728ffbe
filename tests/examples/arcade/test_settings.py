"""Where everything is and how often things happen, from the environment."""

import pytest

from examples.arcade.settings import read_settings
from goatherd.errors import SettingsError


def test_without_any_variable_all_of_it_is_in_files_and_times_are_as_they_should_be() -> None:
    settings = read_settings({})
    assert set(settings.of_arcade().values()) == {None}
    assert (settings.gift_aggregation, settings.matchmaking, settings.dlq) == (5_000, 60_000, "DLQ")


def test_on_servers_records_are_in_the_database_of_the_game_and_lanes_on_redis() -> None:
    told = {"ARCADE_RABBITMQ_URL": "amqp://r", "ARCADE_REDIS_URL": "redis://r", "ARCADE_DATABASE_URL": "postgresql://p"}
    assert read_settings(told).of_arcade() == {
        "broker_url": "amqp://r",
        "events_url": "redis://r",
        "lanes_url": "redis://r",
        "records_url": "postgresql://p",
    }


def test_the_realtime_database_may_want_to_know_who_we_are() -> None:
    told = {"ARCADE_FIREBASE_URL": "https://arcade.firebaseio.com", "ARCADE_FIREBASE_AUTH": "a b"}
    settings = read_settings(told)
    assert settings.inbox_url("commands/prod") == "firebase+https://arcade.firebaseio.com/commands/prod?auth=a+b"
    assert "a b" not in repr(settings)


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as raised:
        read_settings({"JOBS_GIFT_AGGREGATION_FIXEDDELAY": "soon", "ARCADE_PORT": "70000"})
    assert len(raised.value.problems) == 2
    assert "JOBS_GIFT_AGGREGATION_FIXEDDELAY is 'soon'" in str(raised.value)
