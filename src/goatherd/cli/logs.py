"""The log of a long-running command, on standard error: lines for people, or JSON for collectors."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime

#: What every record has; anything else was added by whoever wrote the line, as a fact worth keeping.
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_COLOURS = {logging.WARNING: "\033[33m", logging.ERROR: "\033[31m", logging.CRITICAL: "\033[31;1m"}
_FAINT, _PLAIN = "\033[2m", "\033[0m"


def set_up_logging(*, as_json: bool, verbose: bool, show_pid: bool = False) -> None:
    """Send every log line of this process to standard error; a program that has its own set-up may replace it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else Lines(colours=_has_colours(), show_pid=show_pid))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("goatherd").setLevel(logging.DEBUG if verbose else logging.INFO)
    # It tells of its own start and end, which we do in our words.
    logging.getLogger("uvicorn").setLevel(logging.INFO if verbose else logging.WARNING)
    # It tells of every request, with its whole address, and some addresses are secrets.
    logging.getLogger("httpx2").setLevel(logging.INFO if verbose else logging.WARNING)


class Lines(logging.Formatter):
    """`12:04:31 warning  text`, with the process where there are several."""

    def __init__(self, *, colours: bool, show_pid: bool) -> None:
        super().__init__()
        self._colours = colours
        self._show_pid = show_pid

    def format(self, record: logging.LogRecord) -> str:
        """One record, with its traceback below it."""
        moment = datetime.fromtimestamp(record.created).astimezone()
        time = f"{moment:%H:%M:%S}" if self._colours else f"{moment:%Y-%m-%d %H:%M:%S}"
        process = f" [{record.process}]" if self._show_pid else ""
        level = f"{record.levelname.lower():<7}"
        text = super().format(record)
        if not self._colours:
            return f"{time}{process} {level} {text}"
        return f"{_FAINT}{time}{process}{_PLAIN} {_COLOURS.get(record.levelno, _FAINT)}{level}{_PLAIN} {text}"


class JsonLines(logging.Formatter):
    """One JSON object for each record: time, level, logger, process, message, traceback, and every extra fact."""

    def format(self, record: logging.LogRecord) -> str:
        """One record as one line."""
        told: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            "message": record.getMessage(),
        }
        told |= {name: value for name, value in vars(record).items() if name not in _USUAL}
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, default=str, ensure_ascii=False)


def _has_colours() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ
