"""Make a video in which somebody speaks English, to have something to dub."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from examples.dubbing.media.programs import run_program
from examples.dubbing.media.sound import FFMPEG, Piece, mix

#: A voice that is easy to understand.
VOICE = "slt"


@dataclass(frozen=True)
class Line:
    """What is said, and from which second on."""

    start: float
    text: str


FARM = (
    Line(0.5, "Good morning. Welcome to the farm."),
    Line(4.0, "The shepherd opens the gate."),
    Line(7.0, "Two goats cross the old bridge."),
    Line(10.0, "The river is very cold today."),
)
FARM_SECONDS = 13.0


async def make_speaking_video(out: Path, lines: Sequence[Line] = FARM, duration: float = FARM_SECONDS) -> None:
    """A test picture with a clock, and a voice that says these lines at their times."""
    with TemporaryDirectory(prefix="speaking-") as folder:
        sound = Path(folder) / "sound.wav"
        await mix([await _spoken(line, Path(folder)) for line in lines], duration, sound)
        picture = f"testsrc2=size=320x180:rate=12:duration={duration:.3f}"
        codecs = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac"]
        await run_program([*FFMPEG, "-f", "lavfi", "-i", picture, "-i", str(sound), *codecs, str(out)])


async def _spoken(line: Line, folder: Path) -> Piece:
    path = folder / f"{line.start}.wav"
    await run_program(["flite", "-voice", VOICE, "-t", line.text, "-o", str(path)])
    return Piece(path, line.start)
