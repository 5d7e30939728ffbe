"""A user of the kitchen's web service."""

import time
from collections.abc import Sequence
from typing import Any

import httpx2

from examples.running.checks import must

#: Seconds that any answer may take.
PATIENCE = 120.0


class Answered:
    """An answer, and how long it took."""

    def __init__(self, response: httpx2.Response, seconds: float) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.text = response.text
        self.seconds = seconds

    @property
    def json(self) -> Any:
        """Its body."""
        return httpx2.Response(200, text=self.text).json()


class User:
    """Asks over HTTP, and expects JSON."""

    def __init__(self, url: str) -> None:
        self._client = httpx2.Client(base_url=url, timeout=PATIENCE)

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def get(self, path: str, expected: int = 200) -> Answered:
        """Look at something; raises Broken if the status is another."""
        return self._asked("GET", path, (expected,))

    def post(self, path: str, body: object = None, *expected: int) -> Answered:
        """Ask for something; raises Broken if the status is none of these."""
        return self._asked("POST", path, expected or (200,), body)

    def _asked(self, method: str, path: str, expected: Sequence[int], body: object = None) -> Answered:
        began = time.monotonic()
        response = self._client.request(method, path, json=body)
        answered = Answered(response, time.monotonic() - began)
        wanted = " or ".join(map(str, expected))
        told = f"{method} {path} was answered with {answered.status} instead of {wanted}: {answered.text[:300]}"
        must(answered.status in expected, told)
        must("Traceback" not in answered.text, f"{method} {path} shows a traceback")
        return answered


def metric(text: str, name: str, **labels: str) -> float:
    """The sum of a metric's values with these labels."""
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    lines = (line for line in text.splitlines() if line.partition("{")[0].partition(" ")[0] == name)
    return sum(float(line.rpartition(" ")[2]) for line in lines if all(label in line for label in wanted))
