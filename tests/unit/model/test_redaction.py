from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.redaction import HIDDEN, redacted, restored, shown_body

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
