"""Settings from the environment, and the plan for mischief."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.kitchen.ai import settings as settings_module
from examples.kitchen.ai.mischief import Plan, read_plan
from examples.kitchen.ai.settings import VARIABLES, Settings, read_settings
from goatherd.errors import SettingsError

SECRETS = {
    "RABBITMQ_URL": "amqp://cook:pepper@broker/",
    "AI_API_KEY": "sk-pepper",
    "AWS_ACCESS_KEY_ID": "pepper-id",
    "AWS_SECRET_ACCESS_KEY": "pepper-secret",
    "AWS_SESSION_TOKEN": "pepper-token",
}


def test_nothing_has_to_be_set() -> None:
    assert read_settings({}) == Settings()
    assert read_settings(dict.fromkeys(VARIABLES.values(), " ")) == Settings()


def test_everything_can_be_set() -> None:
    settings = read_settings(
        {"AI_PROVIDER": "openai", "AI_API_KEY": "sk-pepper\n", "AI_TIMEOUT": "5", "AI_PICTURE_BUCKETS": "menu, cards"}
    )
    assert settings == Settings(provider="openai", api_key="sk-pepper", timeout=5.0, picture_buckets=("menu", "cards"))


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"AI_PROVIDER": "oracle", "AI_TIMEOUT": "soon", "AI_MAX_TEXT": "0", "AWS_ENDPOINT_URL": "s3"})
    told = [problem.split()[0] for problem in caught.value.problems]
    assert told == ["AI_PROVIDER", "AI_TIMEOUT", "AI_MAX_TEXT", "AWS_ENDPOINT_URL"]


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "0"])
def test_a_time_that_never_comes_is_refused(number: str) -> None:
    with pytest.raises(SettingsError, match="AI_TIMEOUT"):
        read_settings({"AI_TIMEOUT": number})


def test_no_secret_is_shown() -> None:
    assert "pepper" not in repr(read_settings(SECRETS))


@pytest.mark.parametrize(
    "environment",
    [{"AI_API_KEY": "sk-pepper sk-pepper"}, {"AI_API_KEY": "pépper"}, {"AI_BASE_URL": "https://cook:pepper@host/v1"}],
)
def test_not_even_a_wrong_secret_is_shown(environment: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings(environment)
    assert "pepper" not in str(caught.value).replace("pépper", "pepper")


def test_the_readme_names_every_setting() -> None:
    readme = (Path(settings_module.__file__).parent / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \|", readme, re.MULTILINE)
    assert named == list(VARIABLES.values())


def test_a_plan_for_mischief() -> None:
    assert read_plan("slow=0.2:3, fail=0.1,die=0.01") == Plan(slow=0.2, slowest=3.0, fail=0.1, die=0.01)
    assert read_plan("fail=1,seed=7") == Plan(fail=1.0, seed=7)


@pytest.mark.parametrize("written", ["slow", "slow=2", "fail=-1", "fail=0.1:3", "burn=0.5", "die=0.1,", "slow=0.1:x"])
def test_a_plan_that_cannot_be_understood(written: str) -> None:
    with pytest.raises(SettingsError, match="AI_MISCHIEF"):
        read_plan(written)


@given(st.text())
def test_every_plan_is_understood_or_refused(written: str) -> None:
    with suppress(SettingsError):
        assert isinstance(read_plan(written), Plan)
