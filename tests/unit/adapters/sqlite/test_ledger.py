"""The note of what a worker runs, as others read it after its death."""

from pathlib import Path

from goatherd.adapters.ledger import SLOTS, Ledger, is_dead, was_running


def test_what_runs_is_noted_and_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    ledger = Ledger(path)
    first, second = ledger.begin(7), ledger.begin(2**60)
    assert sorted(was_running(path)) == [7, 2**60]
    ledger.end(first)
    assert was_running(path) == [2**60]
    ledger.end(second)
    assert was_running(path) == []
    ledger.close()
    assert not path.exists()


def test_a_worker_is_dead_when_its_lock_is_free(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    assert not is_dead(path), "without a file nothing is known"
    ledger = Ledger(path)
    ledger.begin(7)
    assert not is_dead(path)
    ledger.let_go()
    assert is_dead(path)
    assert was_running(path) == [7]


def test_more_jobs_than_places_are_not_noted(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.run")
    slots = [ledger.begin(number + 1) for number in range(SLOTS)]
    assert ledger.begin(99_999) is None
    ledger.end(None)
    ledger.end(slots[0])
    assert ledger.begin(99_999) == slots[0]
    ledger.close()


def test_code_may_end_after_its_worker_has_left(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a.run")
    slot = ledger.begin(7)
    ledger.close()
    ledger.end(slot)


def test_a_note_that_was_torn_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes((7).to_bytes(8, "little") + b"\x01\x02\x03")
    assert was_running(tmp_path / "a.run") == [7]
    assert was_running(tmp_path / "missing.run") == []
