"""What workers said in their logs, which are JSON lines."""

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any


def entries(folder: Path) -> Iterator[dict[str, Any]]:
    """Every record of every worker; what is no record (a last line that was cut off by a kill) is left out."""
    for path in folder.glob("worker-*.log"):
        for line in path.read_text(errors="replace").splitlines():
            try:
                told = json.loads(line)
            except ValueError:
                continue
            if isinstance(told, dict) and "message" in told:
                yield told


def losses(folder: Path) -> dict[int, list[float]]:
    """When each worker lost the connection on which it consumes, or its consumer on it."""
    found: dict[int, list[float]] = defaultdict(list)
    for entry in entries(folder):
        message = entry["message"]
        if ("consume' to" in message and "was lost" in message) or message.startswith("The consumer of queue"):
            found[entry["pid"]].append(datetime.fromisoformat(entry["time"]).timestamp())
    return dict(found)
