"""Texts as PostgreSQL can keep them."""

import hashlib
from typing import Any

#: Bytes of an id that an index takes for certain.
_LONGEST = 1000


def key_of(job: str) -> str:
    """The id, or something as good for one of another program that is no text for PostgreSQL, or too long."""
    written = job.encode("utf-8", "surrogatepass")
    if len(written) <= _LONGEST and kept(job) == job:
        return job
    return f"sha256:{hashlib.sha256(written).hexdigest()}"


def kept(value: Any) -> Any:
    """A text without what PostgreSQL takes for none: zeros, and halves of characters."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
