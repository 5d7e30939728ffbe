"""The event that everybody sends, for those who do not make it themselves."""

import json
import time


def token(seq: int, text: str) -> str:
    """The JSON of a token, as Goatherd has it."""
    fields = {"stage": "token", "content": text, "seq": seq, "node": "", "attempt": 1, "ts": time.time()}
    return json.dumps(fields, separators=(",", ":"))


def position(seq: int) -> str:
    """The id of an event, as long as Goatherd's."""
    return f"0123456789ab-{seq}"


def frame(seq: int, text: str) -> bytes:
    """The whole event on the wire."""
    return f"id: {position(seq)}\nevent: token\ndata: {token(seq, text)}\n\n".encode()
