import asyncio
from pathlib import Path

import pytest

from goatherd.cli.watching import Watcher, folders_of

PATIENCE = 20.0


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


async def test_written_made_and_removed_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py", "package/c.py"):
        write(tmp_path / name)
    watcher = Watcher([tmp_path])
    assert watcher.files == 3
    write(tmp_path / "a.py", "changed")
    (tmp_path / "b.py").unlink()
    write(tmp_path / "package" / "new.py")
    assert await asyncio.wait_for(watcher.changed(), PATIENCE) == ["a.py", "b.py", "package/new.py"]


def test_what_is_not_the_projects_is_not_watched(tmp_path: Path) -> None:
    write(tmp_path / "a.py")
    for other in (".hidden/b.py", "env/lib/c.py", "__pycache__/d.py", "x/site-packages/e.py", "notes.txt"):
        write(tmp_path / other)
    write(tmp_path / "env" / "pyvenv.cfg")
    assert Watcher([tmp_path]).files == 1


def test_a_package_elsewhere_is_watched_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    write(tmp_path / "there" / "far_away_package" / "__init__.py")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.syspath_prepend(tmp_path / "there")
    here = Path.cwd()
    assert folders_of("far_away_package.tasks:app") == [here, tmp_path / "there" / "far_away_package"]
    assert folders_of("nowhere_to_be_found:app") == folders_of("click:app") == folders_of("sys:app") == [here]
