"""A parent that does not know the app reads where to say how it is, and nothing else."""

from pathlib import Path

import pytest

from goatherd.config import Sources, read_health_place
from goatherd.errors import SettingsError


def read(tmp_path: Path, toml: str = "", **environment: str) -> tuple[int | None, str]:
    file = tmp_path / "goatherd.toml"
    file.write_text(toml)
    return read_health_place(Sources({}, environment, file))


def test_nowhere_by_default(tmp_path: Path) -> None:
    assert read(tmp_path) == (None, "127.0.0.1")


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    toml = 'health_port = 9000\nhealth_host = "::1"'
    assert read(tmp_path, toml) == (9000, "::1")
    assert read(tmp_path, toml, GOATHERD_HEALTH_PORT="9464") == (9464, "::1")


def test_what_is_wrong_with_other_settings_is_told_by_others(tmp_path: Path) -> None:
    assert read(tmp_path, "concurrency = 'many'", GOATHERD_NONSENSE="1", GOATHERD_HEALTH_PORT="1") == (1, "127.0.0.1")


@pytest.mark.parametrize("value", ["many", "-1", "65536"])
def test_what_is_wrong_with_its_own_is_told(tmp_path: Path, value: str) -> None:
    with pytest.raises(SettingsError, match="GOATHERD_HEALTH_PORT"):
        read(tmp_path, GOATHERD_HEALTH_PORT=value)
