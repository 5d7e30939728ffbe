"""What nobody can understand is refused with what is wrong, and with nothing else."""

import httpx2
import pytest

from tests.acceptance.kitchen.premises import Premises

RECIPE, IMAGE, CRAWL = "/api/ai/analyze-recipe", "/api/ai/analyze-image", "/api/crawling/crawl"


def refused(answer: httpx2.Response, status: int) -> str:
    """Why; checked to be JSON that shows nothing of the inside."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert not [word for word in ("Traceback", ".py", "goatherd") if word in answer.text]
    told: str = answer.json()["error"]["message"]
    return told


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        (RECIPE, b"", "Give the recipe's text"),
        (RECIPE, b"{}", "Give the recipe's text"),
        (RECIPE, b'{"text": "  "}', "Give the recipe's text"),
        (RECIPE, b'{"text": "a", "user_input": "b"}', "Give the recipe's text"),
        (RECIPE, b'{"text": 5}', "Expected str | null, got int - at $.text"),
        (RECIPE, b"soup", "malformed"),
        (RECIPE, b"[1]", "Expected object, got array"),
        (RECIPE, b'{"text": "\xff"}', "not UTF-8"),
        (RECIPE, b'{"text": "half of a pair: \\ud800"}', "the right form"),
        (RECIPE, b'{"more": ' + b"[" * 100_000, "recursion"),
        (IMAGE, b'{"description": "soup"}', "missing required field s3_url"),
        (IMAGE, b'{"s3_url": ""}', "length >= 1"),
        (CRAWL, b"{}", "missing required field url"),
        (CRAWL, b'{"url": "ftp://example.com"}', "https://host/path"),
        (CRAWL, b'{"url": "http://"}', "https://host/path"),
        (CRAWL, b'{"url": "http://[::1"}', "IPv6"),
        (CRAWL, b'{"url": "http://example.com", "depth": -1}', ">= 0"),
        (CRAWL, b'{"url": "http://example.com", "depth": "deep"}', "Expected int"),
        (CRAWL, b'{"url": "http://example.com", "sync": "yes"}', "Expected bool"),
        (f"{CRAWL}?sync=perhaps", b'{"url": "http://example.com"}', "sync must be 1 or 0"),
        ("/api/crawling/ping", b'{"sync": 5}', "Expected bool"),
    ],
)
def test_a_bad_request_is_told_what_is_wrong(kitchen: Premises, path: str, body: bytes, why: str) -> None:
    assert why.lower() in refused(kitchen.client.post(path, content=body), 400).lower()


def test_a_body_that_is_too_large_is_refused(kitchen: Premises) -> None:
    refused(kitchen.client.post(RECIPE, content=b'{"text": "' + b"soup " * 200_000 + b'"}'), 413)


def test_a_text_that_is_too_long_for_the_ai_service_is_refused_by_it(kitchen: Premises) -> None:
    answer = kitchen.post(RECIPE, {"text": "soup " * 20_000})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_an_address_that_is_not_there_is_told_in_json(kitchen: Premises) -> None:
    refused(kitchen.get("/nowhere"), 404)
    refused(kitchen.get(RECIPE), 405)
