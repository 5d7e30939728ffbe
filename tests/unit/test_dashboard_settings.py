"""Who may come to the dashboard is checked when settings are read, and tokens are never shown."""

from pathlib import Path
from typing import Any

import pytest

from goatherd.config import Sources, read_settings
from goatherd.errors import SettingsError
from goatherd.model.settings import Settings


def read(folder: Path, environment: dict[str, str], **keywords: Any) -> Settings:
    return read_settings("shop", Sources(keywords, environment, folder / "goatherd.toml"))[0]


@pytest.mark.parametrize("name", ["DASHBOARD_TOKEN", "DASHBOARD_READ_TOKEN"])
def test_a_short_token_is_refused_and_not_shown(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=f"GOATHERD_{name} is not usable: ") as caught:
        read(tmp_path, {f"GOATHERD_{name}": "s3cret"})
    assert "s3cret" not in str(caught.value)


def test_who_may_look_may_not_act_with_the_same_token(tmp_path: Path) -> None:
    both = {"GOATHERD_DASHBOARD_TOKEN": "long enough, s3cret", "GOATHERD_DASHBOARD_READ_TOKEN": "long enough, s3cret"}
    with pytest.raises(SettingsError, match="dashboard_read_token is the same as dashboard_token") as caught:
        read(tmp_path, both)
    assert "s3cret" not in str(caught.value)


def test_lists_are_written_with_commas(tmp_path: Path) -> None:
    told = read(
        tmp_path, {"GOATHERD_DASHBOARD_OPERATORS": "ada, bob,", "GOATHERD_DASHBOARD_PROXIES": "10.0.0.0/8, ::1"}
    )
    assert (told.dashboard_operators, told.dashboard_proxies) == (("ada", "bob"), ("10.0.0.0/8", "::1"))
    assert read(tmp_path, {}).dashboard_proxies == ("127.0.0.0/8", "::1")


@pytest.mark.parametrize("network", ["localhost", "10.0.0.7/8", "10.0.0", "*"])
def test_proxies_are_addresses(tmp_path: Path, network: str) -> None:
    with pytest.raises(SettingsError, match="must be addresses or networks"):
        read(tmp_path, {}, dashboard_proxies=["127.0.0.1", network])


@pytest.mark.parametrize("header", ["X Email", "X-Email:", "é", ""])
def test_a_header_has_the_name_of_one(tmp_path: Path, header: str) -> None:
    with pytest.raises(SettingsError, match="dashboard_user_header"):
        read(tmp_path, {}, dashboard_user_header=header)
