"""What the first bytes of a picture tell: its type, width and height. Pure functions that never raise."""

import struct
from collections.abc import Callable
from dataclasses import dataclass

Dimensions = tuple[int, int]


@dataclass(frozen=True)
class ImageHeader:
    """The type of a picture, and its size in pixels where the header is whole."""

    media_type: str
    width: int | None = None
    height: int | None = None


def read_header(content: bytes) -> ImageHeader | None:
    """The header of a PNG, JPEG, GIF or WebP picture; None for anything else."""
    for media_type, is_it, measure in _FORMATS:
        if is_it(content):
            try:
                width, height = measure(content)
            except (struct.error, IndexError, ValueError):
                return ImageHeader(media_type)
            return ImageHeader(media_type, width, height) if width and height else ImageHeader(media_type)
    return None


def _png(content: bytes) -> Dimensions:
    """After the signature comes a chunk IHDR: length, name, width, height."""
    if content[12:16] != b"IHDR":
        raise ValueError("the first chunk is not IHDR")
    width, height = struct.unpack_from(">II", content, 16)
    return width, height


def _gif(content: bytes) -> Dimensions:
    width, height = struct.unpack_from("<HH", content, 6)
    return width, height


#: The markers that start a frame; the gaps are markers for tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
#: Markers without a length behind them.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


def _jpeg(content: bytes) -> Dimensions:
    """Go from segment to segment until the one that starts the frame: length, depth, height, width."""
    place = 2
    while True:
        if content[place] != 0xFF:
            raise ValueError("a segment does not begin with a marker")
        marker = content[place + 1]
        if marker == 0xFF:  # padding
            place += 1
        elif marker in _BARE:
            place += 2
        elif marker in _FRAMES:
            height, width = struct.unpack_from(">HH", content, place + 5)
            return width, height
        else:
            (length,) = struct.unpack_from(">H", content, place + 2)
            place += 2 + max(2, length)


def _webp(content: bytes) -> Dimensions:
    """Three layouts: lossy, lossless, and extended with a canvas."""
    kind = content[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (packed,) = struct.unpack_from("<I", content, 21)
        return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(content) >= 30:
        return int.from_bytes(content[24:27], "little") + 1, int.from_bytes(content[27:30], "little") + 1
    raise ValueError("no layout of WebP that we know, or cut off")


_FORMATS: tuple[tuple[str, Callable[[bytes], bool], Callable[[bytes], Dimensions]], ...] = (
    ("image/png", lambda content: content.startswith(b"\x89PNG\r\n\x1a\n"), _png),
    ("image/jpeg", lambda content: content.startswith(b"\xff\xd8\xff"), _jpeg),
    ("image/gif", lambda content: content.startswith((b"GIF87a", b"GIF89a")), _gif),
    ("image/webp", lambda content: content[:4] == b"RIFF" and content[8:12] == b"WEBP", _webp),
)
