"""Say which line of code a thread is at."""

import linecache
import sys
import sysconfig

_LIBRARY = sysconfig.get_path("stdlib")


def whereabouts(thread: int | None) -> str:
    """The line of code that a thread is at, by its id."""
    frame = sys._current_frames().get(thread or 0)
    # What is blocked is mostly somewhere in the standard library; who went there is of interest.
    while frame is not None and frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        frame = frame.f_back
    if frame is None:
        return "nowhere: it has ended"
    code, line = frame.f_code, frame.f_lineno
    text = linecache.getline(code.co_filename, line).strip()
    return f"{code.co_filename}:{line} in {code.co_name}{text and ': '}{text}"
