"""How loud a film is, from second to second: what one hears, for a program."""

import math
import sys
from array import array
from pathlib import Path

from examples.dubbing.media.programs import run_program
from examples.dubbing.media.sound import FFMPEG, RATE

#: Decibels (full scale is 0) above which people speak, and below which nobody does.
SPEECH, SILENCE = -40.0, -55.0


class Loudness:
    """The sound of a film, decoded."""

    def __init__(self, samples: "array[int]") -> None:
        self._samples = samples

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self._samples) / RATE

    def between(self, start: float, end: float) -> float:
        """The mean loudness of these seconds in decibels; -inf where there is no sound at all."""
        part = self._samples[max(0, round(start * RATE)) : max(0, round(end * RATE))]
        power = sum(one * one for one in part) / len(part) if part else 0.0
        return 10 * math.log10(power / 32768**2) if power else -math.inf

    def loud(self, start: float, end: float, window: float = 0.1) -> float:
        """Of these seconds, how much is speech (0 to 1)."""
        count = max(1, int((end - start) / window))
        levels = [self.between(start + n * window, start + (n + 1) * window) for n in range(count)]
        return sum(level > SPEECH for level in levels) / count


async def listen(film: Path) -> Loudness:
    """Decode its sound."""
    wanted = ["-vn", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
    samples = array("h", await run_program([*FFMPEG, "-i", str(film), *wanted]))
    if sys.byteorder == "big":
        samples.byteswap()
    return Loudness(samples)
