"""Programs of their own, as users write them."""

import subprocess
import sys
import textwrap
from pathlib import Path

HEAD = """
import logging, os, sys, threading, time
from goatherd import Goatherd
from goatherd.errors import Unavailable
from goatherd.sync import blocking

app = Goatherd("shop", broker_url={url!r})

@app.task
async def double(number: int) -> int:
    return 2 * number

def say(*words):
    # In one piece: several processes write to the same place.
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())
"""


def run(folder: Path, *texts: str, first: str = "", url: str = "", timeout: float = 40) -> str:
    """Run it to its end, with every warning an error; returns what it wrote."""
    program = folder / "program.py"
    head = HEAD.format(url=url or f"sqlite:///{folder}/jobs.db")
    program.write_text("\n".join([first, head, *map(textwrap.dedent, texts)]), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "error", str(program)],
        cwd=folder, timeout=timeout, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    return ended.stdout
