"""Run the program of a bare client for one step."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.processes import DEADLINE, StepFailed, clean_environment
from benchmarks.rabbitmq.server import ADDRESS


async def ask(
    program: Sequence[str], room: Path, queue_type: str, step: str, count: int, window: int
) -> dict[str, Any]:
    """What it says about itself; raises StepFailed."""
    url = (room / ADDRESS).read_text(encoding="utf-8")
    # A quorum queue may take back what was acked in the moment before its consumer left: never ping on a used one.
    queue = "bare-ping" if step == "ping" else "bare"
    arguments = [url, queue, queue_type, step, str(count), str(window)]
    process = await asyncio.create_subprocess_exec(
        *program, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=clean_environment()
    )
    name = f"{step} of {' '.join(program)}"
    try:
        async with asyncio.timeout(DEADLINE):
            said, complaints = await process.communicate()
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise StepFailed(f"{name} gave no answer within {DEADLINE:g} s.") from error
    if process.returncode != 0:
        raise StepFailed(f"{name} failed: {complaints.decode(errors='replace')[-2000:]}")
    answer: dict[str, Any] = json.loads(said)
    return answer
