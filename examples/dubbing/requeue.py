"""Queue segments again that could not be spoken: python -m examples.dubbing.requeue [--limit 100]

By hand, when the reason is gone, or from time to time by a scheduler. It shows which they are, and then does what
`goatherd runs requeue-items` does. A task whose last segment is spoken goes on by itself, once.
"""

import argparse
import asyncio
import subprocess
import sys

from examples.dubbing.herd import database
from examples.running.programs import TOP

APP = "examples.dubbing.worker.service:dubbing"
#: Seconds that the command may take.
PATIENCE = 120.0


def main() -> int:
    """The exit code of the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.dubbing.requeue", description="Speak segments again.")
    parser.add_argument("--limit", type=int, default=100, metavar="N", help="at most N of them (default: 100)")
    limit = parser.parse_args().limit
    for line in asyncio.run(_unspoken(limit)):
        print(line)
    sys.stdout.flush()
    only = ["--pipeline", "dub", "--step", "tts", "--limit", str(limit)]
    command = [sys.executable, "-m", "goatherd", "runs", "requeue-items", APP, *only]
    return subprocess.run(command, cwd=TOP, timeout=PATIENCE, check=False).returncode


async def _unspoken(limit: int) -> list[str]:
    await database.open()
    try:
        rows = await database.read(
            "SELECT task_id, idx, mt_text, error FROM segments WHERE tts_audio_key IS NULL AND error <> '' "
            "ORDER BY task_id, idx LIMIT ?", limit,
        )  # fmt: skip
    finally:
        await database.close()
    return [f"{task_id} segment {idx}: {text!r} ({error})" for task_id, idx, text, error in rows]


if __name__ == "__main__":
    sys.exit(main())
