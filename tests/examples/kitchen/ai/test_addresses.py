"""Which addresses are read, and which are not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.kitchen.ai.addresses import LocalFile, S3Object, locate
from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.settings import Settings

SETTINGS = Settings(s3_endpoint="http://127.0.0.1:9000")


@pytest.mark.parametrize(
    ("url", "bucket", "key"),
    [
        ("s3://menu/soups/leek%20soup.png", "menu", "soups/leek soup.png"),
        ("https://menu.s3.amazonaws.com/soup.png", "menu", "soup.png"),
        ("https://menu.s3.eu-central-1.amazonaws.com/a/b.png", "menu", "a/b.png"),
        ("https://my.menu.s3-us-west-2.amazonaws.com/b.png", "my.menu", "b.png"),
        ("https://s3.eu-west-1.amazonaws.com/menu/a/b.png", "menu", "a/b.png"),
        ("https://menu.s3.amazonaws.com/soup.png?X-Amz-Signature=abc", "menu", "soup.png"),
        ("http://127.0.0.1:9000/menu/soup.png", "menu", "soup.png"),
    ],
)
def test_an_object_of_a_bucket(url: str, bucket: str, key: str) -> None:
    assert locate(url, SETTINGS) == S3Object(bucket, key)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "soup.png",
        "s3://menu",
        "s3:///soup.png",
        "s3://-/x",
        "ftp://menu/soup.png",
        "https://example.com/soup.png",
        "http://menu.s3.amazonaws.com/soup.png",
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:9001/menu/soup.png",
        "https://s3.amazonaws.com.evil.example/menu/soup.png",
        "https://evil.example/?menu.s3.amazonaws.com/soup.png",
        "https://menu.s3.amazonaws.com@evil.example/soup.png",
        "http://[::1/soup.png",
    ],
)
def test_any_other_address_is_refused(url: str) -> None:
    with pytest.raises(CannotAnalyse, match="must be s3://bucket/key") as caught:
        locate(url, SETTINGS)
    assert caught.value.code == "bad_request"


def test_only_the_named_buckets_are_read() -> None:
    settings = Settings(picture_buckets=("menu",))
    assert locate("s3://menu/soup.png", settings) == S3Object("menu", "soup.png")
    with pytest.raises(CannotAnalyse, match="'payroll'") as caught:
        locate("s3://payroll/soup.png", settings)
    assert caught.value.code == "picture_denied"


def test_a_file_of_the_folder(tmp_path: Path) -> None:
    url = (tmp_path / "a soup.png").as_uri()
    assert locate(url, Settings(picture_folder=str(tmp_path))) == LocalFile(tmp_path, "a soup.png")


def test_a_file_beside_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(b"")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    for path in ("../secret.png", "%2e%2e/secret.png", "link.png", "../pictures2/soup.png"):
        with pytest.raises(CannotAnalyse) as caught:
            locate(f"file://{folder}/{path}", Settings(picture_folder=str(folder)))
        assert caught.value.code == "picture_denied"


def test_no_file_is_read_unless_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotAnalyse, match="AI_PICTURE_FOLDER"):
        locate((tmp_path / "soup.png").as_uri(), Settings())


@given(
    st.text() | st.text().map("file:///{}".format) | st.text().map("s3://{}".format) | st.text().map("http://{}".format)
)
def test_every_address_is_understood_or_refused(url: str) -> None:
    try:
        found = locate(url, Settings(picture_folder="/nowhere", s3_endpoint="http://127.0.0.1:9000"))
    except CannotAnalyse:
        return
    assert isinstance(found, S3Object | LocalFile)
    assert "\n" not in str(found)


def test_what_is_shown_of_an_address_holds_no_line_break() -> None:
    assert str(S3Object("menu", "a\nb")) == "s3://menu/a%0Ab"
