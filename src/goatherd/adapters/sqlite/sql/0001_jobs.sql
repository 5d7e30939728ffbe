-- Queues and the jobs in them, dead letters, and the workers that take jobs.

CREATE TABLE queue (
    id           INTEGER PRIMARY KEY,
    name         TEXT    NOT NULL UNIQUE,
    ttl          REAL,                         -- seconds a job may wait
    max_length   INTEGER,                      -- beyond it the oldest become dead letters
    announces_to TEXT,                         -- the queue that is told of this one's dead letters
    paused       INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A job waits (owner and due are null), is delayed (due is set) or is claimed (owner is set).
CREATE TABLE job (
    seq      INTEGER PRIMARY KEY,              -- order of acceptance
    queue    INTEGER NOT NULL REFERENCES queue (id),
    id       TEXT    NOT NULL,
    task     TEXT    NOT NULL,
    priority INTEGER NOT NULL,
    body     BLOB    NOT NULL,
    headers  TEXT,                             -- JSON; null for none
    accepted REAL    NOT NULL,
    due      REAL,
    expires  REAL,                             -- the job's own end: nobody wants it afterwards
    stale    REAL,                             -- when waiting ends: its own end or its queue's ttl, what comes first
    owner    INTEGER,
    deaths   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX job_ready    ON job (queue, priority DESC, seq) WHERE owner IS NULL AND due IS NULL;
CREATE INDEX job_delayed  ON job (due)     WHERE due IS NOT NULL;
CREATE INDEX job_claimed  ON job (owner)   WHERE owner IS NOT NULL;
CREATE INDEX job_stale    ON job (stale)   WHERE stale IS NOT NULL AND owner IS NULL;

CREATE TABLE dead_letter (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT    NOT NULL UNIQUE,
    queue      TEXT    NOT NULL,
    job_id     TEXT    NOT NULL,
    task       TEXT    NOT NULL,
    priority   INTEGER NOT NULL,
    body       BLOB    NOT NULL,
    headers    TEXT,
    accepted   REAL    NOT NULL,
    reason     TEXT    NOT NULL,
    error_type TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    traceback  TEXT    NOT NULL,
    attempts   INTEGER NOT NULL,
    failed_at  REAL    NOT NULL
) STRICT;

CREATE INDEX dead_letter_queue ON dead_letter (queue);

-- Ids are never used twice, so that what a lost worker still says is not taken for another's word.
CREATE TABLE worker (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT    NOT NULL UNIQUE,          -- of its ledger file
    host     TEXT    NOT NULL,
    pid      INTEGER NOT NULL,
    doorbell TEXT    NOT NULL,
    started  REAL    NOT NULL,
    seen     REAL    NOT NULL
) STRICT;

CREATE TABLE subscription (
    queue  INTEGER NOT NULL REFERENCES queue (id),
    worker INTEGER NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    PRIMARY KEY (queue, worker)
) STRICT, WITHOUT ROWID;
