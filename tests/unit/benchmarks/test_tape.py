import threading
from pathlib import Path

from benchmarks.tape import Counts, Tape


def test_the_counts_of_all_workers_are_seen_from_outside(tmp_path: Path) -> None:
    counts = Counts(tmp_path / "counts", 2)
    first, second = Tape(counts.path, slot=0, expected=2), Tape(counts.path, slot=1)
    begun = threading.Thread(target=first.mark, args=(7,))
    begun.start()
    second.mark(8)
    begun.join()
    first.mark(9)
    assert counts.total() == 3
    assert [sent for _, sent in first.record()["marks"]] == [7, 9]


def test_processor_time_is_taken_from_the_first_job_to_the_last(tmp_path: Path) -> None:
    tape = Tape(Counts(tmp_path / "counts", 1).path, expected=2)
    tape.mark(1)
    tape.mark(1)
    assert 0 <= tape.record()["cpu_ns"] < 1_000_000_000
