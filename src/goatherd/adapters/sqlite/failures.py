"""SQLite's errors in our words."""

import errno
from pathlib import Path

import apsw

from goatherd.errors import GoatherdError, Unavailable

_TEXTS: tuple[tuple[type[apsw.Error], str], ...] = (
    (
        apsw.FullError,
        (
            "The disk that holds {path} is full, so nothing was written. Free some space; what was accepted "
            "before is safe, and workers go on by themselves."
        ),
    ),
    (
        apsw.ReadOnlyError,
        (
            "The file {path} cannot be written by this user. Give this user write access to the file and its "
            "folder, or set GOATHERD_BROKER_URL to a file that it owns."
        ),
    ),
    (
        apsw.CantOpenError,
        (
            "The file {path} cannot be opened. Check that its folder exists and that this user may write there, "
            "or set GOATHERD_BROKER_URL to another file."
        ),
    ),
    (
        apsw.BusyError,
        (
            "Another process has kept {path} locked for too long. If one was stopped (Ctrl-Z) or hangs while it "
            "writes, continue or end it; then try again."
        ),
    ),
    (
        apsw.NotADBError,
        ("The file {path} is not an SQLite database. Set GOATHERD_BROKER_URL to another file, or move this one away."),
    ),
    (
        apsw.CorruptError,
        (
            "The file {path} is damaged. Stop all processes that use it, keep a copy, and recover what can be "
            "recovered with `sqlite3 {path} .recover`."
        ),
    ),
    (
        apsw.IOError,
        ("The disk failed while {path} was read or written. Check the disk and its free space, then try again."),
    ),
)


_KINDS: dict[int | None, type[apsw.Error]] = {
    errno.ENOSPC: apsw.FullError,
    errno.EDQUOT: apsw.FullError,
    errno.EACCES: apsw.ReadOnlyError,
    errno.EPERM: apsw.ReadOnlyError,
    errno.EROFS: apsw.ReadOnlyError,
}


def of_the_system(error: OSError, path: Path) -> GoatherdError:
    """The error to raise when the files around the database cannot be made."""
    return in_our_words(_KINDS.get(error.errno, apsw.CantOpenError)(str(error)), path)


def in_our_words(error: apsw.Error, path: Path) -> GoatherdError:
    """The error to raise instead, for the driver's exception to be the cause of."""
    for kind, text in _TEXTS:
        if isinstance(error, kind):
            return Unavailable(text.format(path=path))
    return Unavailable(f"SQLite could not work with {path}: {error}. Try again; if it stays, run `goatherd doctor`.")
