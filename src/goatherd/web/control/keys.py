"""What cookies and forms are signed with: made of the app's secrets, so that all replicas have the same.

Whoever changes a token ends every session with it.
"""

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode

from goatherd.model.settings import Settings


class Keys:
    """Signs, and checks what was signed."""

    def __init__(self, settings: Settings) -> None:
        told = (settings.secret, settings.dashboard_token, settings.dashboard_read_token)
        # Without any there are no cookies, and forms are only sent back to the process that made them.
        source = "\0".join(each or "" for each in told) if any(told) else secrets.token_hex(32)
        self._key = hashlib.sha256(f"goatherd dashboard\0{settings.app}\0{source}".encode()).digest()

    def sign(self, purpose: str, text: str) -> str:
        """A signature that is good for this purpose alone."""
        digest = hmac.digest(self._key, f"{purpose}\0{text}".encode(), "sha256")
        return urlsafe_b64encode(digest).rstrip(b"=").decode()

    def is_signed(self, purpose: str, text: str, signature: str) -> bool:
        """Whether we signed it; takes the same time whatever is wrong."""
        return is_same(self.sign(purpose, text), signature)


def is_same(ours: str, theirs: str) -> bool:
    """Compare secrets in a time that tells nothing of where they differ, nor of how long they are."""
    return hmac.compare_digest(_digest(ours), _digest(theirs))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
