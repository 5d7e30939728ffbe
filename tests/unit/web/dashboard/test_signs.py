"""Icons can be drawn, and every tone has one."""

import re

import pytest

from goatherd.web.dashboard.signs import ICONS, TONES


@pytest.mark.parametrize("name", ICONS)
def test_an_icon_is_a_path(name: str) -> None:
    assert re.fullmatch(r"M[MmLlHhVvCcSsQqTtAaZz0-9 ,.-]+", ICONS[name])


def test_every_tone_has_an_icon() -> None:
    assert {f"tone-{tone}" for tone in TONES.values()} <= ICONS.keys()
