"""A video in which somebody speaks, made once; and an S3-compatible server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from moto.server import ThreadedMotoServer

from examples.dubbing.media.speaking_video import make_speaking_video
from examples.dubbing.objects import Objects
from examples.dubbing.settings import read_settings


@pytest.fixture(scope="session")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("farm") / "farm.mp4"
    asyncio.run(make_speaking_video(path))
    return path


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The URL of one with a bucket."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    httpx2.put(f"{url}/films").raise_for_status()
    try:
        yield url
    finally:
        server.stop()


def on_s3(endpoint: str, place: str) -> Objects:
    environment = {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "pepper"}
    return Objects(read_settings({**environment, "DUBBING_OBJECTS": place}))
