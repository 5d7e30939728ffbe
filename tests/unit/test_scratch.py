"""What a run of tests writes and nobody needs afterwards: where it goes, and that it is gone at the end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.scratch import BYTECODE, NO_BYTECODE, PREFIX, main, scratch, with_bytecode

TOP = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("environment", "kept"),
    [
        ({"A": "1"}, {"A": "1"}),
        ({"A": "1", BYTECODE: "/there"}, {"A": "1", BYTECODE: "/there"}),
        ({"A": "1", NO_BYTECODE: "1"}, {"A": "1", BYTECODE: "/here"}),
        ({"A": "1", NO_BYTECODE: "1", BYTECODE: "/there"}, {"A": "1", BYTECODE: "/there"}),
    ],
)
def test_bytecode_is_kept_for_the_run(environment: dict[str, str], kept: dict[str, str]) -> None:
    assert with_bytecode(environment, Path("/here")) == kept


def test_the_folder_is_there_for_everybody_until_the_end(tmp_path: Path) -> None:
    with scratch(tmp_path) as folder:
        assert folder.stat().st_mode & 0o7777 == 0o1777
        (folder / "deep").mkdir()
        (folder / "deep" / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_removed_and_what_others_use_is_not(tmp_path: Path) -> None:
    hang = (
        "from pathlib import Path; from scripts.scratch import scratch\n"
        "with scratch(Path('.')): print(flush=True); input()"
    )
    environment = {**os.environ, "PYTHONPATH": str(TOP)}
    with subprocess.Popen(
        [sys.executable, "-c", hang], cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        [its] = tmp_path.glob(f"{PREFIX}*")
        with scratch(tmp_path):
            assert its.exists()
        other.send_signal(signal.SIGKILL)
    with scratch(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_the_command_gets_the_folder_and_its_exit_code_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.scratch.MEMORY", tmp_path)
    monkeypatch.setattr("scripts.scratch.roomy", lambda _: True)
    monkeypatch.delenv("TMPDIR", raising=False)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    told = tmp_path / "told"
    program = f"import os, sys; open({str(told)!r}, 'w').write(os.environ['TMPDIR']); sys.exit(7)"
    try:
        assert main([sys.executable, "-c", program]) == 7
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert Path(told.read_text()).parent == tmp_path
    assert list(tmp_path.iterdir()) == [told]


def test_whoever_ends_us_ends_the_command(tmp_path: Path) -> None:
    program = (
        "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\nprint(flush=True)\nsignal.pause()"
    )
    command = [sys.executable, "-m", "scripts.scratch", sys.executable, "-c", program]
    with subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        run.stdout.readline()
        run.terminate()
        assert run.wait(30) == 5
