"""What is in a file: how long it is, and which streams it has."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from examples.dubbing.media.programs import ProgramFailed, run_program
from examples.dubbing.troubles import Lasting


@dataclass(frozen=True, kw_only=True)
class Film:
    """A video, or a sound."""

    #: Seconds.
    duration: float
    #: The codecs of the first stream of each kind; None if there is none.
    picture: str | None
    sound: str | None


class NoFilm(Lasting):
    """The file cannot be read, or what is needed is not in it."""


class _Stream(msgspec.Struct):
    codec_type: str = ""
    codec_name: str = ""


class _Format(msgspec.Struct):
    duration: float = 0.0


class _Found(msgspec.Struct):
    streams: list[_Stream] = []
    format: _Format = msgspec.field(default_factory=_Format)


async def probe(path: Path) -> Film:
    """What ffprobe finds; raises NoFilm."""
    wanted = ["-show_entries", "stream=codec_type,codec_name:format=duration", "-of", "json"]
    try:
        written = await run_program(["ffprobe", "-v", "error", *wanted, str(path)])
    except ProgramFailed as error:
        # Where the file lay for a moment is of no use to anybody.
        told = str(error).replace(f"{path.parent}/", "")
        raise NoFilm(f"this is neither video nor sound that ffmpeg could read ({told})") from error
    # ffprobe writes numbers as text.
    found = msgspec.convert(msgspec.json.decode(written), _Found, strict=False)
    return Film(
        duration=found.format.duration, picture=_codec(found.streams, "video"), sound=_codec(found.streams, "audio")
    )


def _codec(streams: list[_Stream], kind: str) -> str | None:
    return next((one.codec_name for one in streams if one.codec_type == kind), None)
