"""The first bytes of pictures, whole, cut off and made up."""

import struct
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.kitchen.ai.image_header import ImageHeader, read_header

Write = Callable[[int, int], bytes]

sizes = st.integers(1, 2**14 - 1)


def png(width: int, height: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\x00\x00"


def jpeg(width: int, height: int) -> bytes:
    """With what cameras put before the frame: a comment, a table, padding."""
    comment = b"\xff\xfe" + struct.pack(">H", 7) + b"hello"
    table = b"\xff\xc4" + struct.pack(">H", 4) + b"\x00\x00"
    frame = b"\xff\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + comment + table + frame


def webp(layout: bytes, body: bytes) -> bytes:
    chunk = layout + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def webp_lossy(width: int, height: int) -> bytes:
    return webp(b"VP8 ", b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height))


def webp_lossless(width: int, height: int) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14))


def webp_extended(width: int, height: int) -> bytes:
    return webp(b"VP8X", bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"))


WRITERS: dict[str, list[Write]] = {
    "image/png": [png],
    "image/gif": [gif],
    "image/jpeg": [jpeg],
    "image/webp": [webp_lossy, webp_lossless, webp_extended],
}
written = st.sampled_from([(kind, write) for kind, writers in WRITERS.items() for write in writers])


@given(written, sizes, sizes)
def test_type_and_size_are_read_as_written(way: tuple[str, Write], width: int, height: int) -> None:
    kind, write = way
    assert read_header(write(width, height) + b"the rest") == ImageHeader(kind, width, height)


@given(written, sizes, sizes, st.data())
def test_a_picture_that_is_cut_off_has_a_type_but_no_size(
    way: tuple[str, Write], width: int, height: int, data: st.DataObject
) -> None:
    kind, write = way
    content = write(width, height)
    cut = read_header(content[: data.draw(st.integers(0, len(content)))])
    assert cut in (None, ImageHeader(kind), ImageHeader(kind, width, height))


starts = st.sampled_from(
    [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"RIFF1234WEBPVP8 ", b"RIFF1234WEBPVP8X"]
)


@given(starts, st.binary(max_size=300))
def test_no_bytes_are_too_strange_to_read(start: bytes, rest: bytes) -> None:
    header = read_header(start + rest)
    assert header is None or (header.width is None) == (header.height is None)


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"<svg/>", b"\x00" * 40, b"RIFF1234WAVE"])
def test_what_is_no_picture(content: bytes) -> None:
    assert read_header(content) is None


def test_a_picture_of_no_width_has_no_size() -> None:
    assert read_header(png(0, 9)) == ImageHeader("image/png")
