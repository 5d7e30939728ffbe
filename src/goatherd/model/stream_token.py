"""Leave to watch one job for a while: a signed token, for a browser that cannot be trusted with more.

It is `base64url(json).base64url(hmac-sha256)`, so it needs no store and can be checked by any process that has the
secret.
"""

import base64
import binascii
import hashlib
import hmac
from typing import Final, Literal

import msgspec

#: What one may do with it; a token for anything else is not one of these.
SCOPE: Final = "events:read"

#: Characters of a token that is looked at; nobody should make us hash a megabyte.
MOST = 4096


class StreamToken(msgspec.Struct, frozen=True, kw_only=True):
    """What a token says."""

    app: str
    job: str
    #: On whose behalf; connections are counted by it.
    subject: str = msgspec.field(name="sub")
    #: Seconds since the epoch.
    expires_at: float = msgspec.field(name="exp")
    scope: Literal["events:read"] = SCOPE


class BadToken(ValueError):
    """It is no token, or it was made with another secret, or its time is over."""


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(StreamToken)


def sign(secret: str, app: str, job_id: str, subject: str, expires_at: float) -> str:
    """A token for the events of one job."""
    told = StreamToken(app=app, job=job_id, subject=subject, expires_at=expires_at)
    body = _text(_ENCODER.encode(told))
    return f"{body}.{_signature(secret, body)}"


def verify(secret: str, token: str, now: float) -> StreamToken:
    """What a token says; raises BadToken."""
    body, dot, signature = token.partition(".")
    if not dot or len(token) > MOST or not token.isascii():
        raise BadToken("it is not a token for a stream")
    # Compared as text: of the several spellings that base64 has for the same bytes, only ours is right.
    if not hmac.compare_digest(signature, _signature(secret, body)):
        raise BadToken("its signature is wrong")
    try:
        told = _DECODER.decode(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError) as error:
        raise BadToken("it does not say what it is for") from error
    if now >= told.expires_at:
        raise BadToken("its time is over")
    return told


def _signature(secret: str, body: str) -> str:
    # What is signed says what it is, so that a token can never be mistaken for something else made with the secret.
    signed = f"goatherd stream token\n{body}".encode()
    return _text(hmac.digest(secret.encode(), signed, hashlib.sha256))


def _text(told: bytes) -> str:
    return base64.urlsafe_b64encode(told).rstrip(b"=").decode()
