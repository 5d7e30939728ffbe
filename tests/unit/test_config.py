"""Settings: keyword, then environment, then file, then default; and every mistake told at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd import Goatherd, Retry
from goatherd.config import LISTS, NAMES, Sources, read_settings, without_password
from goatherd.errors import SettingsError
from goatherd.model.settings import Settings


class Desk:
    """A working folder with a settings file."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "goatherd.toml"

    def write(self, text: str) -> None:
        self.file.write_text(text, encoding="utf-8")

    def sources(self, environment: Mapping[str, str] | None = None, **keywords: Any) -> Sources:
        return Sources(keywords, environment or {}, self.file)

    def read(self, environment: Mapping[str, str] | None = None, **keywords: Any) -> Settings:
        return read_settings("shop", self.sources(environment, **keywords))[0]

    def retry(self, environment: Mapping[str, str] | None = None, **keywords: Any) -> Retry:
        return read_settings("shop", self.sources(environment, **keywords))[1]

    def problems(self, environment: Mapping[str, str] | None = None, **keywords: Any) -> list[str]:
        with pytest.raises(SettingsError) as caught:
            read_settings("shop", self.sources(environment, **keywords))
        for problem in caught.value.problems:
            assert problem in str(caught.value)
        return list(caught.value.problems)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_without_a_word_everything_has_its_default(desk: Desk) -> None:
    settings = desk.read()
    assert (settings.broker_url, settings.default_queue) == ("sqlite:///.goatherd/shop.db", "shop")
    assert (settings.concurrency, settings.held_by_worker, settings.payload_limit) == (16, 32, 1024 * 1024)


def test_a_keyword_wins_over_the_environment_which_wins_over_the_file(desk: Desk) -> None:
    desk.write("concurrency = 1\nprefetch = 1\nlease = 11")
    environment = {"GOATHERD_CONCURRENCY": "2", "GOATHERD_PREFETCH": "2"}
    settings = desk.read(environment, concurrency=3)
    assert (settings.concurrency, settings.prefetch, settings.lease) == (3, 2, 11)


def test_a_keyword_that_is_none_counts_as_not_given(desk: Desk) -> None:
    assert desk.read({"GOATHERD_CONCURRENCY": "2"}, concurrency=None, broker_url=None).concurrency == 2


def test_what_is_held_follows_the_concurrency_unless_it_is_said(desk: Desk) -> None:
    assert desk.read(concurrency=5).held_by_worker == 10
    assert desk.read(concurrency=5, prefetch=7).held_by_worker == 7


def test_what_stays_on_this_machine_while_jobs_go_to_others_is_known(desk: Desk) -> None:
    def local(**settings: Any) -> list[bool]:
        found = desk.read(**settings)
        return [found.event_store_is_local, found.record_store_is_local, found.lane_store_is_local]

    assert local() == local(broker_url="sqlite:///x.db", records_url="sqlite:///y.db") == [False] * 3
    assert local(broker_url="amqp://x") == [True] * 3
    elsewhere = {"events_url": "redis://x", "records_url": "postgresql://x", "lanes_url": "postgres://x"}
    assert local(broker_url="amqp://x", **elsewhere) == [False] * 3


def test_tracked_jobs_are_under_the_apps_name_unless_it_is_said(desk: Desk) -> None:
    assert desk.read().prefix_of_events == "shop"
    assert desk.read(event_prefix="eu-shop").prefix_of_events == "eu-shop"


SPECIAL = {
    "broker_url": "sqlite:///x.db",
    "events_url": "redis://x",
    "live_url": "redis://y",
    "records_url": "postgresql://z",
    "lanes_url": "redis://w",
    "management_url": "https://v",
    "alert_webhook": "https://u/hook",
    "volatile_lanes": "True",
    "track_all": "True",
    "secret": "long enough to be one",
    "dashboard_token": "long enough to be another",
    "dashboard_read_token": "long enough to be a third",
    "default_queue": "mail",
}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("retry", *LISTS)])
def test_every_setting_can_be_given_in_the_environment(desk: Desk, name: str) -> None:
    words = get_args(get_type_hints(Settings)[name])
    choice = words[-1] if words and isinstance(words[-1], str) else "7"
    text = SPECIAL.get(name, choice)
    assert str(getattr(desk.read({f"GOATHERD_{name.upper()}": text}), name)).removesuffix(".0") == text


def test_a_list_in_the_environment_is_separated_by_commas(desk: Desk) -> None:
    assert desk.read({"GOATHERD_REDACT": "pin, card ,"}).redact == ("pin", "card")
    desk.write('redact = ["pin"]')
    assert desk.read().redact == ("pin",)


def test_a_secret_is_not_shown_in_the_error_about_it(desk: Desk) -> None:
    [problem] = desk.problems({"GOATHERD_SECRET": "too short"})
    assert "GOATHERD_SECRET" in problem
    assert "too short" not in problem


# --- mistakes ------------------------------------------------------------------------------------------------------


def test_every_mistake_is_told_at_once_with_its_place(desk: Desk) -> None:
    desk.write('lease = "long"\nprefetch = 0\ncolour = "red"')
    environment = {"GOATHERD_GRACE_PERIOD": "-1", "GOATHERD_BROKER_URL": "amqp:/x", "GOATHERD_PREFECH": "1"}
    problems = desk.problems(environment, concurrency="many", retry=-1, default_queue="a*b")
    places = [
        "lease in goatherd.toml is 'long'",
        "prefetch in goatherd.toml is 0",
        "colour in goatherd.toml is not a setting",
        "GOATHERD_GRACE_PERIOD is '-1'",
        "broker_url is 'amqp:/x'",
        "GOATHERD_PREFECH is not a setting",
        "concurrency= of the app is 'many'",
        "retry= of the app is -1",
        "default_queue: A queue cannot be named 'a*b'",
    ]
    assert len(problems) == len(places)
    for place in places:
        assert any(problem.startswith(place) for problem in problems), place


def test_one_mistake_is_told_in_the_singular(desk: Desk) -> None:
    with pytest.raises(SettingsError, match="A setting is wrong:\n  - GOATHERD_LEASE is"):
        desk.read({"GOATHERD_LEASE": "x"})


def test_an_unknown_name_comes_with_the_one_that_was_meant(desk: Desk) -> None:
    desk.write("concurency = 3")
    assert desk.problems({"GOATHERD_BROKR_URL": "x"}) == [
        "concurency in goatherd.toml is not a setting; did you mean concurrency?",
        "GOATHERD_BROKR_URL is not a setting; did you mean GOATHERD_BROKER_URL?",
    ]
    with pytest.raises(SettingsError, match=r"'brokr_url' is not a setting; did you mean broker_url\?"):
        Goatherd("shop", brokr_url="sqlite:///x.db")  # type: ignore[call-arg]


def test_a_name_that_resembles_nothing_is_told_without_a_guess(desk: Desk) -> None:
    desk.write("xyzzy = 3")
    assert desk.problems() == ["xyzzy in goatherd.toml is not a setting"]


def test_names_for_the_test_suite_are_no_settings(desk: Desk) -> None:
    assert desk.read({"GOATHERD_TEST_REDIS_URL": "redis://", "PATH": "/bin"}) == desk.read()


@pytest.mark.parametrize("text", ["concurrency = ", "[", "a = 1\na = 2", "a\x00b"])
def test_a_file_that_is_no_toml_is_told_with_the_place(desk: Desk, text: str) -> None:
    desk.write(text)
    [problem] = desk.problems()
    assert problem.startswith("goatherd.toml cannot be read: ")


def test_a_file_that_is_no_text_or_no_file_is_told(desk: Desk) -> None:
    desk.file.write_bytes(b"\xff\xfe")
    assert "cannot be read" in desk.problems()[0]
    desk.file.unlink()
    desk.file.mkdir()
    assert "cannot be read" in desk.problems()[0]


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("concurrency", 0),
        ("concurrency", 2.5),
        ("lease", 0.5),
        ("lease", float("nan")),
        ("publish_deadline", 0),
        ("payload_limit", -1),
        ("deploy_grace", -1),
        ("redact", 5),
        ("broker_url", 5),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(desk: Desk, given: str, value: object) -> None:
    [problem] = desk.problems(**{given: value})
    assert problem.startswith(f"{given}= of the app is {value!r}")


# --- URLs ----------------------------------------------------------------------------------------------------------

SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "url",
    [
        f"ampq://guest:{SECRET}@localhost/",
        f"ampq://guest:{SECRET}@[::1",
        f"guest:{SECRET}@localhost:5672",
        f"ampq://:{SECRET}@localhost",
        f"ampq://guest:p@{SECRET}@localhost",
        f"//guest:{SECRET}@localhost",
    ],
)
def test_a_password_is_never_shown_however_broken_the_url_is(desk: Desk, url: str) -> None:
    [problem] = desk.problems(broker_url=url)
    assert SECRET not in problem
    assert ":***@" in problem
    assert "sqlite://" in problem


@pytest.mark.parametrize("url", ["", "jobs.db", "sqlite", "mysql://localhost/x", "http://[::1"])
def test_a_url_of_no_broker_that_we_know_is_told(desk: Desk, url: str) -> None:
    [problem] = desk.problems({"GOATHERD_BROKER_URL": url})
    assert problem.startswith(f"broker_url is {url!r}: it must begin with sqlite://")


def test_events_are_kept_with_the_jobs_if_these_are_in_a_file(desk: Desk) -> None:
    assert desk.read().event_store == "sqlite:///.goatherd/shop.db"
    assert desk.read(broker_url="sqlite:///x.db").event_store == "sqlite:///x.db"
    assert desk.read(broker_url="amqp://broker").event_store == "sqlite:///.goatherd/shop.db"
    assert desk.read(broker_url="amqp://broker", events_url="redis://cache").event_store == "redis://cache"


def test_a_url_that_keeps_no_events_is_told(desk: Desk) -> None:
    [problem] = desk.problems(events_url=f"amqp://guest:{SECRET}@localhost")
    assert problem.startswith("events_url is 'amqp://guest:***@localhost': it must begin with sqlite:// or redis://")


def test_what_is_no_password_is_shown() -> None:
    assert without_password("sqlite:///jobs.db") == "sqlite:///jobs.db"
    assert without_password("amqp://localhost:5672/x") == "amqp://localhost:5672/x"


@given(st.text(st.characters(exclude_characters="*"), min_size=1), st.text())
def test_no_password_survives(password: str, host: str) -> None:
    assert f":{password}@" not in without_password(f"amqp://user:{password}@{host}")


# --- retry ---------------------------------------------------------------------------------------------------------


def told(rule: Retry) -> tuple[float, ...]:
    return (rule.retries, rule.base, rule.factor, rule.max, rule.jitter)


def test_three_retries_are_the_default(desk: Desk) -> None:
    assert told(desk.retry()) == (3, 1, 2, 30, 0.25)


def test_a_table_of_the_file_is_a_retry_rule(desk: Desk) -> None:
    desk.write("[retry]\nretries = 5\nbase = 0.5\nfactor = 3\nmax = 60\njitter = 0")
    assert told(desk.retry()) == (5, 0.5, 3, 60, 0)
    desk.write("[retry]\nmax = 60")
    assert told(desk.retry()) == (3, 1, 2, 60, 0.25)


def test_a_number_is_a_number_of_retries(desk: Desk) -> None:
    desk.write("retry = 5")
    assert desk.retry().retries == 5
    assert desk.retry({"GOATHERD_RETRY": "7"}).retries == 7


def test_a_rule_in_the_program_wins(desk: Desk) -> None:
    rule = Retry(1)
    assert desk.retry({"GOATHERD_RETRY": "7"}, retry=rule) is rule


@pytest.mark.parametrize(
    "text",
    ["[retry]\ntimes = 5", "[retry]\nretries = -1", "[retry]\nfactor = 0.5", "[retry]\nmax = inf", 'retry = "often"'],
)
def test_a_rule_that_makes_no_sense_is_told(desk: Desk, text: str) -> None:
    desk.write(text)
    [problem] = desk.problems()
    assert problem.startswith("retry in goatherd.toml is ")


def test_the_file_of_the_working_folder_is_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write("concurrency = 4")
    monkeypatch.chdir(desk.file.parent)
    assert Goatherd("shop").settings.concurrency == 4
    monkeypatch.setenv("GOATHERD_CONCURRENCY", "5")
    assert Goatherd("shop").settings.concurrency == 5
    assert Goatherd("shop", concurrency=6).settings.concurrency == 6
