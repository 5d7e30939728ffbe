"""The address of a webhook is checked when settings are read, and never shown."""

from pathlib import Path

import pytest

from goatherd.config import Sources, read_settings
from goatherd.errors import SettingsError


@pytest.mark.parametrize("url", ["chat/s3cret", "ftp://chat/s3cret", "https:///s3cret", "https://chat:port/s3cret"])
def test_a_webhook_is_checked_and_not_shown(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings("shop", Sources({}, {"GOATHERD_ALERT_WEBHOOK": url}, tmp_path / "goatherd.toml"))
    [problem] = caught.value.problems
    assert problem.startswith(
        "alert_webhook is not usable: it must begin with http:// or https://, for example https://"
    )
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://chat", "https://name:word@chat:8443/hooks/7?room=1", "http://[::1]:80/"])
def test_a_webhook_may_look_like_this(tmp_path: Path, url: str) -> None:
    settings, _ = read_settings("shop", Sources({"alert_webhook": url}, {}, tmp_path / "goatherd.toml"))
    assert settings.alert_webhook == url
