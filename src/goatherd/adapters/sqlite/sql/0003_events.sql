-- Tracked jobs: how each stands, its events, its text, and who waits for more.

-- A log that begins anew is a row of its own; the old row loses its job and is cleared away bit by bit.
CREATE TABLE tracked (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    job          TEXT    UNIQUE,
    epoch        TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    former_epoch TEXT    NOT NULL DEFAULT '',  -- its name before the store may have forgotten something, up to here
    former_seq   INTEGER NOT NULL DEFAULT 0,
    lineage      TEXT    NOT NULL,             -- the machine's boot: after a power cut it is another
    run          TEXT    NOT NULL,             -- the run of the attempt that writes, and the count of its events
    number       INTEGER NOT NULL,
    status       TEXT    NOT NULL DEFAULT 'queued',
    attempt      INTEGER NOT NULL,
    stage        TEXT    NOT NULL DEFAULT '',
    progress     REAL,
    result       BLOB,
    error        TEXT    NOT NULL DEFAULT '',
    message      TEXT    NOT NULL DEFAULT '',
    traceback    TEXT    NOT NULL DEFAULT '',
    closed       INTEGER NOT NULL DEFAULT 0,
    expires      REAL    NOT NULL
) STRICT;

CREATE INDEX tracked_expires ON tracked (expires);

CREATE TABLE event (
    tracked INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    body    BLOB    NOT NULL,
    PRIMARY KEY (tracked, seq)
) STRICT, WITHOUT ROWID;

-- The text in the pieces in which it came, so that it can grow without being written again.
CREATE TABLE piece (
    tracked INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    text    TEXT    NOT NULL,
    PRIMARY KEY (tracked, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE watcher (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    doorbell TEXT    NOT NULL,
    seen     REAL    NOT NULL
) STRICT;

CREATE TABLE watch (
    job     TEXT    NOT NULL,
    watcher INTEGER NOT NULL REFERENCES watcher (id) ON DELETE CASCADE,
    PRIMARY KEY (job, watcher)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_watcher ON watch (watcher);
