import json
import logging
import sys

from goatherd.cli.logs import JsonLines, Lines


def record(**extra: object) -> logging.LogRecord:
    made = logging.LogRecord("goatherd.worker", logging.WARNING, __file__, 1, "%d jobs", (3,), None)
    vars(made).update(extra)
    return made


def test_a_line_for_people() -> None:
    plain = Lines(colours=False, show_pid=True).format(record(process=17))
    assert plain.endswith(" [17] warning 3 jobs")
    assert "\x1b[33mwarning" in Lines(colours=True, show_pid=False).format(record())


def test_a_line_for_programs_keeps_facts_and_tracebacks() -> None:
    try:
        raise ValueError("no")
    except ValueError:
        failed = sys.exc_info()
    told = json.loads(JsonLines().format(record(job_id="7", odd=object, exc_info=failed)))
    assert (told["level"], told["message"], told["job_id"]) == ("warning", "3 jobs", "7")
    assert told["traceback"].endswith("ValueError: no")
