"""Values that many tests of the model need."""

from typing import Any

import msgspec

from goatherd.model.formats import Work
from goatherd.model.message import Delivery, Headers, Message

NOW = 1_770_000_000.0


def delivery(body: bytes = b"{}", *, headers: Headers | None = None, id: str = "m1", **rest: Any) -> Delivery:
    deaths = rest.pop("deaths", 0)
    message = Message(id=id, queue="mail", body=body, headers=headers or {}, **rest)
    return Delivery(message=message, accepted=NOW, deaths=deaths)


def work(failures: int = 0, deadline: float | None = None) -> Work:
    return Work(
        job_id="j1", task="send_mail", payload=msgspec.Raw(b"{}"), failures=failures, created=NOW, deadline=deadline
    )
