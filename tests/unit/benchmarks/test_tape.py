import subprocess
import sys
import threading
from ast import literal_eval
from pathlib import Path

from benchmarks.tape import Counts, Tape


def test_the_counts_of_all_workers_are_seen_from_outside(tmp_path: Path) -> None:
    counts = Counts(tmp_path / "counts", 2, 2)
    first, second = Tape(counts.path, slot=0, expected=2), Tape(counts.path, slot=1)
    begun = threading.Thread(target=first.mark, args=(7,))
    begun.start()
    second.mark(8)
    begun.join()
    first.mark(9)
    assert counts.total() == 3
    assert [sent for _, sent in first.record()["marks"]] == [7, 9]
    assert [sent for _, sent in second.record()["marks"]] == [8]


def test_processor_time_is_taken_from_the_first_job_to_the_last(tmp_path: Path) -> None:
    tape = Tape(Counts(tmp_path / "counts", 1, 2).path, expected=2)
    tape.mark(1)
    tape.mark(1)
    assert 0 <= tape.record()["cpu_ns"] < 1_000_000_000


FORKING = """
import os, pathlib, sys
from benchmarks.tape import Tape
tape = Tape(pathlib.Path(sys.argv[1]), expected=2)
if not os.fork():
    tape.mark(5)
    sum(range(300_000))
    tape.mark(6)
    os._exit(0)
os.wait()
print(tape.record())
"""


def test_what_a_forked_process_does_is_on_the_tape_of_its_worker(tmp_path: Path) -> None:
    counts = Counts(tmp_path / "counts", 1, 2)
    # In a process without threads, which may be forked without a worry.
    command = [sys.executable, "-c", FORKING, str(counts.path)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout
    record = literal_eval(told)
    assert [sent for _, sent in record["marks"]] == [5, 6]
    assert record["cpu_ns"] > 1_000_000


def test_jobs_beyond_the_room_are_counted(tmp_path: Path) -> None:
    counts = Counts(tmp_path / "counts", 1, 1)
    tape = Tape(counts.path)
    for _ in range(5):
        tape.mark(1)
    assert counts.total() == 5
    assert len(tape.record()["marks"]) == 3
