from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.redaction import HIDDEN, TOO_DEEP, left_hidden, redacted, restored, shown_body

SECRETS = ("password", "token")

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", *SECRETS]), inner, max_size=3)
    ),
    max_leaves=10,
)


def test_secrets_are_hidden_however_deep_they_stand() -> None:
    given_value = {"to": "a", "password": "x", "users": [{"token": {"deep": 1}, "name": "b"}]}
    assert redacted(given_value, SECRETS) == {
        "to": "a",
        "password": HIDDEN,
        "users": [{"token": HIDDEN, "name": "b"}],
    }


@given(values)
def test_what_is_not_edited_is_as_it_was(value: Any) -> None:
    assert restored(redacted(value, SECRETS), value, SECRETS) == value


def test_a_new_secret_wins_over_the_old_one() -> None:
    assert restored({"password": "new", "a": 1}, {"password": "old"}, SECRETS) == {"password": "new", "a": 1}
    assert restored({"password": HIDDEN}, {"other": 1}, SECRETS) == {"password": HIDDEN}
    assert restored([1, {"token": HIDDEN}], [1], SECRETS) == [1, {"token": HIDDEN}]


def test_a_body_is_shown_as_far_as_it_is_text() -> None:
    assert shown_body(b'{"payload":{"token":"x"}}', SECRETS) == '{"payload":{"token":"***"}}'
    assert shown_body(b"\xff no", SECRETS) == "\\xff no"


def test_how_a_name_is_written_does_not_matter() -> None:
    assert redacted({"Password": "x", "TOKEN": ["y"], "tokens": 1}, SECRETS) == {
        "Password": HIDDEN,
        "TOKEN": HIDDEN,
        "tokens": 1,
    }
    assert restored({"Password": HIDDEN, "a": 2}, {"Password": "x", "a": 1}, SECRETS) == {"Password": "x", "a": 2}


def test_nobody_gets_the_secret_of_somebody_else() -> None:
    users = [{"name": "ada", "token": "A"}, {"name": "bob", "token": "B"}]
    assert restored([{"name": "bob", "token": HIDDEN}], users, SECRETS) == [{"name": "bob", "token": "B"}]
    added = [{"name": "eve", "token": HIDDEN}, *({**user, "token": HIDDEN} for user in users)]
    assert restored(added, users, SECRETS) == [{"name": "eve", "token": HIDDEN}, *users]


def test_what_is_left_hidden_is_told() -> None:
    value = {"a": [{"Token": HIDDEN}, {"token": "x"}], "b": HIDDEN, "password": HIDDEN}
    assert list(left_hidden(value, SECRETS)) == ["Token", "password"]


def test_a_body_that_is_nested_without_end_is_no_trouble() -> None:
    assert shown_body(b"[" * 100_000 + b"]" * 100_000, SECRETS) == TOO_DEEP
    assert TOO_DEEP in shown_body(b"[" * 600 + b"]" * 600, SECRETS)
    deep: Any = {"token": "x"}
    for _ in range(600):
        deep = {"a": [deep]}
    shown = redacted(deep, SECRETS)
    assert TOO_DEEP in msgspec.json.encode(shown).decode()
    inner = restored(shown, deep, SECRETS)
    for _ in range(600):
        inner = inner["a"][0]
    assert inner == {"token": "x"}
