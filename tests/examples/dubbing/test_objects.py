"""Files by their keys, in a folder and on a real S3-compatible server."""

from pathlib import Path

import pytest

from examples.dubbing.objects import NoSuchObject, Objects
from examples.dubbing.settings import read_settings
from examples.dubbing.troubles import Lasting, Passing
from tests.examples.dubbing.conftest import on_s3

KEY = "tasks/7/a video.mp4"


@pytest.fixture(params=["folder", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    if request.param == "folder":
        return Objects(read_settings({"DUBBING_OBJECTS": str(tmp_path / "new" / "objects")}))
    return on_s3(request.getfixturevalue("s3"), f"s3://films/{tmp_path.name}")


async def test_what_is_stored_is_there_once_however_often_it_is_stored(objects: Objects, tmp_path: Path) -> None:
    # Large enough to be sent in several parts.
    content = b"film" * 3_000_000
    (tmp_path / "film").write_bytes(content)
    assert not await objects.has(KEY)
    for _ in range(2):
        await objects.put(KEY, tmp_path / "film")
    await objects.get(KEY, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == content
    assert b"".join([part async for part in objects.parts(KEY)]) == content
    await objects.put(KEY, b"another film")
    assert (await objects.read(KEY), await objects.has(KEY)) == (b"another film", True)


async def test_what_is_not_there_will_not_be_there_later(objects: Objects, tmp_path: Path) -> None:
    with pytest.raises(NoSuchObject, match="there is no object 'nothing'"):
        await objects.get("nothing", tmp_path / "back")
    with pytest.raises(NoSuchObject):
        await objects.read("nothing")


async def test_a_key_cannot_lead_out_of_the_store(objects: Objects, tmp_path: Path) -> None:
    with pytest.raises(Lasting, match="cannot be the key"):
        await objects.put("../../outside", b"film")
    assert not (tmp_path / "outside").exists()


async def test_a_server_that_is_away_may_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Passing, match="away or failed") as caught:
        await on_s3("http://127.0.0.1:1", "s3://films").read(KEY)
    assert "pepper" not in str(caught.value)


async def test_a_bucket_that_is_not_there_is_told(s3: str) -> None:
    with pytest.raises((Lasting, Passing)):
        await on_s3(s3, "s3://nothing/here").put(KEY, b"film")
