"""Tokens for streams: whatever is changed in one, it is refused."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.stream_token import BadToken, sign, verify

SECRET = "a secret of sixteen or more"
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@given(app=names, job=names, subject=names, expires_at=st.floats(1, 4e9))
def test_what_was_signed_is_read_again(app: str, job: str, subject: str, expires_at: float) -> None:
    token = sign(SECRET, app, job, subject, expires_at)
    told = verify(SECRET, token, now=expires_at - 1)
    assert (told.app, told.job, told.subject, told.expires_at) == (app, job, subject, expires_at)
    assert token.isascii()
    assert not set(token) & set("+/= \n;,\"'")


@given(st.data())
def test_any_change_of_a_byte_is_refused(data: st.DataObject) -> None:
    token = sign(SECRET, "shop", "job-1", "ada", 2000.0)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda char: char != token[at]))
    with pytest.raises(BadToken):
        verify(SECRET, token[:at] + other + token[at + 1 :], now=1000.0)


@given(st.text(max_size=300))
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadToken):
        verify(SECRET, text, now=0.0)


@pytest.mark.parametrize("extra", ["=", "A", ".", "\n", " ", "%"])
def test_a_token_with_something_behind_it_is_refused(extra: str) -> None:
    token = sign(SECRET, "shop", "job-1", "ada", 2000.0)
    for changed in (token + extra, extra + token):
        with pytest.raises(BadToken):
            verify(SECRET, changed, now=1000.0)


def test_another_secret_is_refused() -> None:
    with pytest.raises(BadToken, match="signature"):
        verify("another secret of as many", sign(SECRET, "shop", "job-1", "ada", 2000.0), now=1000.0)


def test_a_token_ends_at_its_time() -> None:
    token = sign(SECRET, "shop", "job-1", "ada", 2000.0)
    assert verify(SECRET, token, now=1999.9).subject == "ada"
    with pytest.raises(BadToken, match="over"):
        verify(SECRET, token, now=2000.0)


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"[]",
        b'{"app":"shop"}',
        b'{"app":"shop","job":"j","sub":"s","exp":9e9,"scope":"jobs:cancel"}',
        b'{"app":"shop","job":"j","sub":"s","exp":"soon","scope":"events:read"}',
        b'{"app":"shop","job":"j","sub":"s","exp":NaN}',
    ],
)
def test_what_is_signed_but_says_something_else_is_refused(told: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    from goatherd.model import stream_token

    body = base64.urlsafe_b64encode(told).rstrip(b"=").decode()
    with pytest.raises(BadToken, match="say"):
        verify(SECRET, f"{body}.{stream_token._signature(SECRET, body)}", now=0.0)


def test_a_long_one_is_not_even_looked_at() -> None:
    with pytest.raises(BadToken, match="not a token"):
        verify(SECRET, sign(SECRET, "shop", "j" * 10_000, "ada", 2000.0), now=0.0)


def test_its_first_half_is_json_that_anyone_can_read() -> None:
    body = sign(SECRET, "shop", "job-1", "ada", 2000.5).partition(".")[0]
    read = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    assert read == {"app": "shop", "job": "job-1", "sub": "ada", "exp": 2000.5, "scope": "events:read"}
