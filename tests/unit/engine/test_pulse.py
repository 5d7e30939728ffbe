"""Other threads see whether an event loop turns, and where it is if it does not."""

import asyncio
import time

from goatherd.engine.pulse import Pulse
from goatherd.engine.whereabouts import whereabouts


async def test_a_loop_that_turns_has_no_trouble() -> None:
    pulse = Pulse(silent_after=20)
    pulse.start()
    assert pulse.trouble is None
    pulse.stop()


async def test_a_loop_that_is_stuck_is_seen_from_another_thread() -> None:
    pulse = Pulse(silent_after=0.2)
    pulse.start()

    def look() -> str | None:
        until = time.monotonic() + 20
        while pulse.trouble is None and time.monotonic() < until:
            time.sleep(0.01)
        return pulse.trouble

    looking = asyncio.get_running_loop().run_in_executor(None, look)
    time.sleep(1)
    trouble = await looking
    pulse.stop()
    assert trouble is not None
    assert "the event loop has been stuck for" in trouble
    assert "test_pulse.py" in trouble
    assert "time.sleep(1)" in trouble


async def test_it_beats_again_when_the_loop_goes_on() -> None:
    pulse = Pulse(silent_after=20)
    pulse.start()
    time.sleep(0.3)
    silence = pulse.silence
    while pulse.silence >= silence:
        await asyncio.sleep(0.01)
    pulse.stop()


def test_a_thread_that_is_not_there_is_nowhere() -> None:
    assert whereabouts(None) == "nowhere: it has ended"
