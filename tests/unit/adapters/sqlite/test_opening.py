"""Files that cannot be used: each is told in one clear paragraph."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.opening import path_of
from goatherd.errors import GoatherdError, SettingsError, Unavailable

NOBODY = 65534

# Permissions say nothing to root, so root becomes somebody else first. Until then everything that opening needs must
# have been imported: others may not be allowed to read the interpreter's own files.
OPEN_AS_NOBODY = f"""
import os, sys
from pathlib import Path
from goatherd.adapters.sqlite.database import Database
from goatherd.errors import Unavailable

warm = Database(Path(sys.argv[2]))
warm.open()
warm.close()
if os.getuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
database = Database(Path(sys.argv[1]))
try:
    database.open()
except Unavailable as error:
    print(error)
else:
    database.close()
    print("opened")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may enter; pytest's own are private."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


def opened_by_nobody(path: Path) -> str:
    with TemporaryDirectory() as elsewhere:
        command = [sys.executable, "-c", OPEN_AS_NOBODY, str(path), f"{elsewhere}/warm.db"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


def make(path: Path) -> None:
    database = Database(path)
    database.open()
    database.close()


def error_of(path: Path) -> GoatherdError:
    with pytest.raises(GoatherdError) as raised:
        Database(path).open()
    return raised.value


def test_a_file_that_may_only_be_read(folder: Path) -> None:
    make(folder / "jobs.db")
    (folder / "jobs.db").chmod(0o444)
    folder.chmod(0o555)
    told = opened_by_nobody(folder / "jobs.db")
    assert told.startswith(f"The file {folder}/jobs.db cannot be written by this user.")
    assert "GOATHERD_BROKER_URL" in told


def test_a_folder_that_may_only_be_read(folder: Path) -> None:
    folder.chmod(0o555)
    told = opened_by_nobody(folder / "jobs.db")
    assert told.startswith(f"The file {folder}/jobs.db cannot be opened.")
    told = opened_by_nobody(folder / "new" / "jobs.db")
    assert told.startswith(f"The file {folder}/new/jobs.db cannot be written by this user.")


def test_a_file_that_others_may_write(folder: Path) -> None:
    make(folder / "jobs.db")
    folder.chmod(0o777)
    (folder / "jobs.db").chmod(0o666)
    assert opened_by_nobody(folder / "jobs.db") == "opened"


def test_a_file_from_a_newer_version(tmp_path: Path) -> None:
    make(tmp_path / "jobs.db")
    edit(tmp_path / "jobs.db", "PRAGMA user_version = 999")
    error = error_of(tmp_path / "jobs.db")
    assert isinstance(error, SettingsError)
    assert "newer Goatherd (schema 999" in str(error)
    assert "Upgrade" in str(error)


def test_a_database_of_another_program(tmp_path: Path) -> None:
    edit(tmp_path / "shop.db", "CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (7)")
    error = error_of(tmp_path / "shop.db")
    assert isinstance(error, SettingsError)
    assert "a database of another program" in str(error)
    assert edit(tmp_path / "shop.db", "SELECT group_concat(name) FROM sqlite_schema") == "orders"


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk, bread, a goat\n" * 100)
    error = error_of(tmp_path / "notes.txt")
    assert isinstance(error, Unavailable)
    assert "is not an SQLite database" in str(error)
    assert isinstance(error.__cause__, apsw.NotADBError)
    assert (tmp_path / "notes.txt").read_text().startswith("milk")


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    make(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + os.urandom(len(whole) - 100))
    assert "is damaged" in str(error_of(path))


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    assert "cannot be opened" in str(error_of(tmp_path))


def test_the_default_folder_keeps_itself_out_of_version_control(tmp_path: Path) -> None:
    make(tmp_path / ".goatherd" / "shop.db")
    assert (tmp_path / ".goatherd" / ".gitignore").read_text() == "*\n"
    make(tmp_path / "elsewhere" / "shop.db")
    assert not (tmp_path / "elsewhere" / ".gitignore").exists()


def test_opening_twice_finds_what_is_there(tmp_path: Path) -> None:
    make(tmp_path / "jobs.db")
    edit(tmp_path / "jobs.db", "INSERT INTO queue (name) VALUES ('mail')")
    make(tmp_path / "jobs.db")
    assert edit(tmp_path / "jobs.db", "SELECT name FROM queue") == "mail"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///jobs.db", "jobs.db"),
        ("sqlite:////srv/jobs.db", "/srv/jobs.db"),
        ("sqlite:///my%20jobs.db", "my jobs.db"),
    ],
)
def test_a_url_names_a_file(url: str, path: str) -> None:
    assert path_of(url) == Path(path)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite://jobs.db"])
def test_a_url_without_a_file(url: str) -> None:
    with pytest.raises(SettingsError, match="names no file"):
        path_of(url)


def edit(path: Path, script: str) -> object:
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(script).get
    finally:
        connection.close()
