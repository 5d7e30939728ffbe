"""Pictures from a real S3-compatible server and from a folder."""

import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import httpx2
import obstore
import pytest
from moto.server import ThreadedMotoServer
from obstore.store import S3Store

from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.pictures import Pictures
from examples.kitchen.ai.settings import Settings
from tests.examples.kitchen.ai.test_image_header import png

SOUP = png(640, 480)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """An S3 server with one bucket."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    httpx2.put(f"{url}/menu").raise_for_status()
    store = S3Store(
        "menu", endpoint=url, access_key_id="id", secret_access_key="secret", client_options={"allow_http": True}
    )
    obstore.put(store, "soups/leek soup.png", SOUP)
    obstore.put(store, "notes.txt", b"not a picture")
    obstore.put(store, "empty.png", b"")
    try:
        yield url
    finally:
        server.stop()


@pytest.fixture
def settings(endpoint: str) -> Settings:
    return Settings(s3_endpoint=endpoint, s3_key_id="id", s3_secret="pepper", picture_timeout=10)


async def failure_of(settings: Settings, url: str) -> CannotAnalyse:
    with pytest.raises(CannotAnalyse) as caught:
        await Pictures(settings).fetch(url)
    assert "pepper" not in caught.value.message
    return caught.value


async def test_an_object_is_read_and_measured(settings: Settings, endpoint: str) -> None:
    pictures = Pictures(settings)
    for url in ("s3://menu/soups/leek%20soup.png", f"{endpoint}/menu/soups/leek%20soup.png"):
        picture = await pictures.fetch(url)
        assert picture.content == SOUP
        assert picture.facts == {
            "media_type": "image/png",
            "bytes": len(SOUP),
            "width": 640,
            "height": 480,
            "sha256": sha256(SOUP).hexdigest(),
        }


@pytest.mark.parametrize("url", ["s3://menu/soups/none.png", "s3://nobucket/soup.png"])
async def test_an_object_that_is_not_there(settings: Settings, url: str) -> None:
    failure = await failure_of(settings, url)
    assert (failure.code, url in failure.message) == ("picture_missing", True)


@pytest.mark.parametrize("url", ["s3://menu/../soup.png", "s3://menu/a//b.png", "s3://menu/%00"])
async def test_a_name_that_no_object_can_have(settings: Settings, url: str) -> None:
    assert (await failure_of(settings, url)).code in ("bad_request", "picture_missing")


@pytest.mark.parametrize("url", ["s3://menu/notes.txt", "s3://menu/empty.png"])
async def test_an_object_that_is_no_picture(settings: Settings, url: str) -> None:
    assert (await failure_of(settings, url)).code == "not_a_picture"


async def test_an_object_that_is_too_large(settings: Settings) -> None:
    failure = await failure_of(replace(settings, max_picture=len(SOUP) - 1), "s3://menu/soups/leek soup.png")
    assert (failure.code, str(len(SOUP)) in failure.message) == ("too_large", True)


async def test_an_object_that_is_not_shown_to_us(settings: Settings, endpoint: str) -> None:
    httpx2.post(f"{endpoint}/moto-api/reset-auth", content="0").raise_for_status()  # from now on keys are checked
    try:
        failure = await failure_of(settings, "s3://menu/soups/leek soup.png")
    finally:
        httpx2.post(f"{endpoint}/moto-api/reset-auth", content="inf").raise_for_status()
    assert failure.code == "picture_denied"


async def test_a_storage_that_is_not_there(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    failure = await failure_of(replace(settings, s3_endpoint=f"http://127.0.0.1:{port}"), "s3://menu/soup.png")
    assert failure.code == "unreachable"


async def test_a_storage_that_does_not_answer(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        failure = await failure_of(replace(settings, s3_endpoint=url, picture_timeout=0.3), "s3://menu/soup.png")
    assert failure.code == "timed_out"


async def test_a_file_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "leek soup.png").write_bytes(SOUP)
    (tmp_path / "notes.txt").write_bytes(b"not a picture")
    settings = Settings(picture_folder=str(tmp_path))
    assert (await Pictures(settings).fetch((tmp_path / "leek soup.png").as_uri())).content == SOUP
    assert (await failure_of(settings, (tmp_path / "notes.txt").as_uri())).code == "not_a_picture"
    assert (await failure_of(settings, (tmp_path / "none.png").as_uri())).code == "picture_missing"
    too_small = replace(settings, max_picture=3)
    assert (await failure_of(too_small, (tmp_path / "leek soup.png").as_uri())).code == "too_large"


async def test_a_pipe_in_the_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "soup.png")
    failure = await failure_of(Settings(picture_folder=str(tmp_path)), (tmp_path / "soup.png").as_uri())
    assert failure.code == "picture_missing"
