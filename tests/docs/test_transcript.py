"""How what a page shows is compared with what a program says."""

import pytest

from tests.docs.transcript import Command, commands, says


def test_a_console_block_is_commands_with_what_they_say() -> None:
    text = "$ one --option\n$ two \\\n    with more\nfirst line\n\nsecond line\n\n"
    assert list(commands(text)) == [
        Command("one --option", ()),
        Command("two with more", ("first line", "", "second line")),
    ]


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (["done in ... s"], "done in 0.1 s\n"),
        (["01..."], "0199-abc\n"),
        (["first", "...", "last"], "first\n2\n3\nlast\n"),
        (["first", "...", "last"], "first\nlast\n"),
        (["name   count", "────"], "name    count\n──────────\n"),
        (["trailing blanks do not count"], "trailing blanks do not count   \n\n"),
    ],
)
def test_dots_stand_for_anything(shown: list[str], said: str) -> None:
    assert says(shown, said)


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (["a.c"], "abc\n"),
        (["one"], "one\ntwo\n"),
        (["one", "two"], "one\n"),
        (["one ... two"], "one\ntwo\n"),
    ],
)
def test_everything_else_is_word_for_word(shown: list[str], said: str) -> None:
    assert not says(shown, said)
