"""Pictures and sound, with the real ffmpeg."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from examples.dubbing.media import programs
from examples.dubbing.media.film import NoFilm, probe
from examples.dubbing.media.loudness import SILENCE, SPEECH, listen
from examples.dubbing.media.programs import MissingProgram, ProgramFailed, run_program
from examples.dubbing.media.sound import Piece, extract_sound, fit, mix, mux
from examples.dubbing.media.speaking_video import FARM, FARM_SECONDS
from examples.dubbing.troubles import Lasting

pytestmark = pytest.mark.servers("media")


async def must_be(film: Path, picture: str | None, sound: str) -> None:
    found = await probe(film)
    assert (found.picture, found.sound) == (picture, sound)
    assert found.duration == pytest.approx(FARM_SECONDS, abs=0.1)


async def test_somebody_speaks_in_the_video_when_they_should(farm: Path) -> None:
    await must_be(farm, picture="h264", sound="aac")
    heard = await listen(farm)
    for line in FARM:
        assert heard.between(line.start, line.start + 1.5) > SPEECH
        assert heard.loud(line.start, line.start + 1.5) > 0.5
    assert heard.between(0, 0.4) < SILENCE
    assert heard.between(12.3, 12.9) < SILENCE


async def test_sound_is_taken_out_laid_out_anew_and_put_back(farm: Path, tmp_path: Path) -> None:
    whole, short, mixed, out = (tmp_path / name for name in ("whole.wav", "short.wav", "mixed.wav", "out.mp4"))
    await extract_sound(farm, whole)
    await must_be(whole, picture=None, sound="pcm_s16le")
    await run_program(["flite", "-voice", "slt", "-t", "Good morning, goats.", "-o", str(short)])
    length = (await probe(short)).duration
    # More than are mixed in one go.
    await mix([Piece(short, start=2.0), *[Piece(short, start=8.0)] * 60], FARM_SECONDS, mixed)
    await mux(farm, mixed, out)
    await must_be(out, picture="h264", sound="aac")
    heard = await listen(out)
    levels = [heard.between(start, start + length) for start in (2, 8)]
    assert min(levels) > SPEECH
    for start, end in ((0, 1.9), (2.1 + length, 7.9), (8.1 + length, 12.9)):
        assert heard.between(start, end) < SILENCE


async def test_nothing_to_say_is_silence_of_the_same_length(farm: Path, tmp_path: Path) -> None:
    await mix([], 3.0, tmp_path / "mixed.wav")
    heard = await listen(tmp_path / "mixed.wav")
    assert heard.duration == pytest.approx(3, abs=0.01)
    assert heard.between(0, 3) < SILENCE


async def test_speech_that_is_too_long_is_made_faster(farm: Path, tmp_path: Path) -> None:
    await extract_sound(farm, tmp_path / "sound.wav")
    await fit(tmp_path / "sound.wav", 1.3, tmp_path / "fast.wav")
    assert (await probe(tmp_path / "fast.wav")).duration == pytest.approx(FARM_SECONDS / 1.3, abs=0.1)


async def test_what_is_no_film_is_told_so(farm: Path, tmp_path: Path) -> None:
    text, silent, sound = (tmp_path / name for name in ("text.mp4", "silent.mp4", "sound.wav"))
    text.write_text("not a film")
    await run_program(["ffmpeg", "-v", "error", "-i", str(farm), "-an", "-c:v", "copy", str(silent)])
    with pytest.raises(NoFilm, match="neither video nor sound"):
        await probe(text)
    with pytest.raises(NoFilm, match="no sound"):
        await extract_sound(silent, sound)
    await extract_sound(farm, sound)
    with pytest.raises(NoFilm, match="no picture"):
        await mux(sound, sound, tmp_path / "out.mp4")


async def test_a_program_that_is_not_there_says_what_to_install(monkeypatch: pytest.MonkeyPatch, farm: Path) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert len(programs.missing_programs()) == len(programs.PACKAGES)
    with pytest.raises(MissingProgram, match=r"ffprobe is not installed.*apt-get install ffmpeg") as caught:
        await probe(farm)
    assert isinstance(caught.value, Lasting)


async def test_a_program_that_fails_is_told_with_its_own_words() -> None:
    with pytest.raises(ProgramFailed, match=r"sh failed with exit code 3: broken"):
        await run_program(["sh", "-c", "echo broken >&2; exit 3"])


@pytest.mark.parametrize("how", ["its time is over", "nobody waits any more"])
async def test_a_program_is_ended_with_all_it_started(tmp_path: Path, how: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    # The child of the shell has the pipe open for as long as it lives.
    command = ["sh", "-c", f"(echo here; exec sleep 100) > '{pipe}' & wait"]
    running = asyncio.create_task(run_program(command, seconds=1 if how == "its time is over" else 100))
    if how == "nobody waits any more":
        assert await read_something(reading) == b"here\n"
        running.cancel()
    with pytest.raises((TimeoutError, asyncio.CancelledError)):
        await running
    assert await nobody_has(reading)
    os.close(reading)


async def read_something(pipe: int) -> bytes:
    """What comes out of a pipe."""
    async with asyncio.timeout(20):
        while True:
            # Nothing, where nobody has opened it yet; nothing to read yet, where somebody has.
            with suppress(BlockingIOError):
                if told := os.read(pipe, 100):
                    return told
            await asyncio.sleep(0.01)


async def nobody_has(pipe: int) -> bool:
    """Wait until nobody can write to it any more."""
    async with asyncio.timeout(20):
        while True:
            with suppress(BlockingIOError):
                if not os.read(pipe, 100):
                    return True
            await asyncio.sleep(0.01)
