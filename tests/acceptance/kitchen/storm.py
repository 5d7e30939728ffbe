"""Many clients at once, each in a thread of its own, who remember what they got.

A program of its own, so that nothing but its clients' own work delays them; what it shall do comes as JSON on
standard input, and what became of each request goes to standard output.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec

from examples.running.programs import TOP

#: Of so many requests, one is a crawl that is waited for; the others are questions to the AI service.
CRAWL_EVERY = 5
#: Seconds after which a client thinks that it will never be answered.
FOR_EVER = 120.0


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one request."""

    kind: str
    status: int
    seconds: float
    #: Whether an answer was for this request and no other.
    is_ours: bool
    #: The beginning of the answer.
    text: str


class Storm(msgspec.Struct, frozen=True, kw_only=True):
    """How much, and where."""

    url: str
    site: str
    threads: int
    #: Of each thread.
    requests: int

    def rage(self) -> list[Outcome]:
        """Send everything, from a process of its own; what became of it."""
        ended = subprocess.run(
            [sys.executable, "-m", "tests.acceptance.kitchen.storm"],
            cwd=TOP, input=msgspec.json.encode(self), stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
        return msgspec.json.decode(ended.stdout, type=list[Outcome])

    def send_everything(self) -> list[Outcome]:
        """All threads begin at the same moment."""
        ready = threading.Barrier(self.threads)
        with ThreadPoolExecutor(self.threads) as clients:
            each = list(clients.map(lambda _: self._client(ready), range(self.threads)))
        return [outcome for outcomes in each for outcome in outcomes]

    def _client(self, ready: threading.Barrier) -> list[Outcome]:
        connection = HTTPConnection(urlsplit(self.url).netloc, timeout=FOR_EVER)
        ready.wait()
        outcomes = [self._ask(connection, crawl=number % CRAWL_EVERY == 0) for number in range(self.requests)]
        connection.close()
        return outcomes

    def _ask(self, connection: HTTPConnection, *, crawl: bool) -> Outcome:
        nonce = uuid4().hex
        if crawl:
            path, body = "/api/crawling/crawl?sync=1", {"url": f"{self.site}/about?nonce={nonce}", "depth": 0}
        else:
            path, body = "/api/ai/analyze-recipe", {"user_input": f"Boil 2 eggs. {nonce}"}
        began = time.monotonic()
        connection.request("POST", path, json.dumps(body))
        answer = connection.getresponse()
        text = answer.read().decode()
        seconds = time.monotonic() - began
        is_ours = answer.status != 200 or (_is_crawl_of if crawl else _is_analysis_of)(body, json.loads(text))
        kind = "crawl" if crawl else "ai"
        return Outcome(kind=kind, status=answer.status, seconds=seconds, is_ours=is_ours, text=text[:200])


def statuses(outcomes: Sequence[Outcome], kind: str) -> Counter[int]:
    """How often each status came."""
    return Counter(outcome.status for outcome in outcomes if outcome.kind == kind)


def slowest(outcomes: Sequence[Outcome], kind: str) -> float:
    """Seconds."""
    return max((outcome.seconds for outcome in outcomes if outcome.kind == kind), default=0.0)


def _is_analysis_of(asked: dict[str, Any], told: dict[str, Any]) -> bool:
    return bool(told["result"]["input_sha256"] == sha256(asked["user_input"].encode()).hexdigest())


def _is_crawl_of(asked: dict[str, Any], told: dict[str, Any]) -> bool:
    return told["status"] == "done" and [page["url"] for page in told["data"]["pages"]] == [asked["url"]]


if __name__ == "__main__":
    storm = msgspec.json.decode(sys.stdin.buffer.read(), type=Storm)
    sys.stdout.buffer.write(msgspec.json.encode(storm.send_everything()))
