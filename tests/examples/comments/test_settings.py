"""Where everything is, from the environment."""

import pytest

from examples.comments.settings import read_settings
from goatherd.errors import SettingsError


def test_without_any_variable_all_of_it_is_in_files() -> None:
    settings = read_settings({})
    assert not settings.on_postgres
    assert settings.of_comments() == {"broker_url": None, "events_url": None, "lanes_url": None}


def test_lanes_are_on_redis_where_there_is_one() -> None:
    settings = read_settings({"COMMENTS_REDIS_URL": "redis://r", "COMMENTS_DATABASE_URL": "postgresql://p"})
    assert settings.of_comments()["lanes_url"] == "redis://r"


def test_lanes_may_be_in_the_database_of_the_posts() -> None:
    told = {"COMMENTS_REDIS_URL": "redis://r", "COMMENTS_DATABASE_URL": "postgresql://p", "COMMENTS_LANES": "database"}
    assert read_settings(told).of_comments()["lanes_url"] == "postgresql://p"


def test_all_mistakes_are_told_at_once_and_no_secret() -> None:
    told = {"COMMENTS_LANE_LIMIT": "none", "COMMENTS_DATABASE_URL": "mysql://me:secret@host", "COMMENTS_PORT": "70000"}
    with pytest.raises(SettingsError) as raised:
        read_settings(told)
    assert len(raised.value.problems) == 3
    assert "COMMENTS_LANE_LIMIT is 'none'" in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_file_cannot_have_the_lanes_of_its_users() -> None:
    with pytest.raises(SettingsError, match="does not name a PostgreSQL"):
        read_settings({"COMMENTS_LANES": "database"})
