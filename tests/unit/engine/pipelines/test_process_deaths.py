"""A step whose own process dies, though not the worker, is not tried for ever."""

import asyncio
import os
import sys
from pathlib import Path

PROGRAM = """
import asyncio, os
from pathlib import Path
from goatherd import Goatherd, JobFailed, Retry

app = Goatherd("script", retry=Retry(0))
films = app.pipeline("films", takes=str, gives=int)

@films.step(after=films.input, executor="process")
def cut(notes: str) -> int:
    with Path(notes).open("a") as told:
        told.write("x")
    os._exit(9)

async def main():
    async with app.serve("worker"):
        run = await films.start("notes.txt")
        try:
            await run.result()
        except JobFailed as failed:
            print(failed.error_type if hasattr(failed, "error_type") else failed)

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_it_fails_for_good_after_three_deaths(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM, encoding="utf-8")
    surroundings = {**os.environ, "PYTHONPATH": "", "GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/jobs.db"}
    running = await asyncio.create_subprocess_exec(
        sys.executable, script, stdout=asyncio.subprocess.PIPE, cwd=tmp_path, env=surroundings
    )
    try:
        async with asyncio.timeout(60):
            told, _ = await running.communicate()
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    assert b"WorkerDied" in told
    assert (tmp_path / "notes.txt").read_text() == "xxx"
