"""Take the sound out of a video, lay speech out in time, and give a video another sound."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.dubbing.media.film import NoFilm, probe
from examples.dubbing.media.programs import PATIENCE, run_program

FFMPEG = ("ffmpeg", "-nostdin", "-v", "error", "-y")
#: What speech recognition wants.
RATE = 16_000
#: Sounds that are mixed in one go; each is an open file.
AT_ONCE = 50


@dataclass(frozen=True)
class Piece:
    """A sound, and the second at which it begins."""

    path: Path
    start: float


async def extract_sound(video: Path, sound: Path, seconds: float = PATIENCE) -> None:
    """The sound of a video as 16 kHz mono; raises NoFilm if there is none."""
    film = await probe(video)
    if film.sound is None:
        raise NoFilm("this video has no sound, so there is nothing to dub")
    wanted = ["-vn", "-ac", "1", "-ar", str(RATE), "-c:a", "pcm_s16le", str(sound)]
    await run_program([*FFMPEG, "-i", str(video), *wanted], seconds=seconds)


async def mix(pieces: Sequence[Piece], duration: float, sound: Path, seconds: float = PATIENCE) -> None:
    """One sound of this length that has each piece at its time, and is silent elsewhere."""
    parts: list[Piece] = []
    for number in range(0, len(pieces), AT_ONCE):
        part = sound.with_suffix(f".part{number}.wav")
        await _mix(pieces[number : number + AT_ONCE], duration, part, seconds)
        parts.append(Piece(part, 0.0))
    await _mix(parts, duration, sound, seconds)


async def fit(sound: Path, tempo: float, out: Path) -> None:
    """The same, faster, in the same pitch."""
    await run_program([*FFMPEG, "-i", str(sound), "-filter:a", f"atempo={tempo:.4f}", str(out)])


async def mux(video: Path, sound: Path, out: Path, seconds: float = PATIENCE) -> None:
    """The picture as it is, with this sound."""
    film = await probe(video)
    if film.picture is None:
        raise NoFilm("this file has no picture, so it is no video")
    streams = ["-map", "0:v:0", "-map", "1:a:0", "-c:v", "copy", "-c:a", "aac", "-b:a", "96k"]
    await run_program(
        [*FFMPEG, "-i", str(video), "-i", str(sound), *streams, "-movflags", "+faststart", str(out)], seconds=seconds
    )


async def _mix(pieces: Sequence[Piece], duration: float, out: Path, seconds: float) -> None:
    inputs = [argument for piece in pieces for argument in ("-i", str(piece.path))]
    # Silence is mixed in, so that there is always something, and for as long as it takes.
    silence = ["-f", "lavfi", "-t", f"{duration:.3f}", "-i", f"anullsrc=r={RATE}:cl=mono"]
    placed = [
        f"[{number}]aresample={RATE},adelay={round(1000 * piece.start)}:all=1[p{number}]"
        for number, piece in enumerate(pieces)
    ]
    names = "".join(f"[p{number}]" for number in range(len(pieces)))
    mixed = f"{names}[{len(pieces)}]amix=inputs={len(pieces) + 1}:normalize=0:duration=longest"
    graph = ";".join([*placed, f"{mixed},atrim=0:{duration:.3f}[out]"])
    wanted = ["-map", "[out]", "-ac", "1", "-ar", str(RATE), "-c:a", "pcm_s16le", str(out)]
    await run_program([*FFMPEG, *inputs, *silence, "-filter_complex", graph, *wanted], seconds=seconds)
