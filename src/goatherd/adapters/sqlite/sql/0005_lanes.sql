-- Lanes: jobs that share a key, in order, and who has each lane.

-- A lane is here while there are jobs in it. `head` and `tail` are the seqs of its first and last job; what is told of
-- the head (queue, deaths, burial) is its own.
CREATE TABLE lane (
    id        INTEGER PRIMARY KEY,
    key       TEXT    NOT NULL UNIQUE,
    queue     TEXT    NOT NULL,
    condition TEXT    NOT NULL,                -- ready, running, waiting, held
    head      INTEGER NOT NULL,
    tail      INTEGER NOT NULL,
    length    INTEGER NOT NULL,
    token     INTEGER NOT NULL,                -- of the last one who had it
    turn      INTEGER NOT NULL,                -- its place among the ready lanes of its queue
    since     REAL    NOT NULL,
    due       REAL,                            -- when its lease runs out or its waiting ends
    worker    TEXT,
    deaths    INTEGER NOT NULL DEFAULT 0,
    burial    BLOB
) STRICT;

CREATE INDEX lane_ready ON lane (queue, turn) WHERE condition = 'ready';
CREATE INDEX lane_due   ON lane (due)         WHERE due IS NOT NULL;
CREATE INDEX lane_held  ON lane (since)       WHERE condition = 'held';

-- In the order in which jobs came, which is about that in which they leave: jobs of many lanes share a page then.
CREATE TABLE lane_job (
    number       INTEGER PRIMARY KEY,
    lane         INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    id           TEXT    NOT NULL,
    queue        TEXT    NOT NULL,
    content      BLOB    NOT NULL,
    on_exhausted TEXT    NOT NULL,
    accepted     REAL    NOT NULL,
    due          REAL,                         -- before it the lane waits for it
    UNIQUE (lane, seq)
) STRICT;

-- Jobs that join the end of their lane when they are due.
CREATE TABLE lane_later (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    due          REAL    NOT NULL,
    key          TEXT    NOT NULL,
    job          TEXT    NOT NULL,
    queue        TEXT    NOT NULL,
    content      BLOB    NOT NULL,
    on_exhausted TEXT    NOT NULL
) STRICT;

CREATE INDEX lane_later_due ON lane_later (due, id);

-- Jobs that left their lane and are on their way to the dead letters.
CREATE TABLE lane_letter (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    letter   TEXT    NOT NULL UNIQUE,
    key      TEXT    NOT NULL,
    content  BLOB    NOT NULL,
    accepted REAL    NOT NULL,
    burial   BLOB    NOT NULL
) STRICT;

-- The last call of each sender and worker, so that one that is repeated gets the same answer.
CREATE TABLE lane_peer (
    name   TEXT    PRIMARY KEY,
    number INTEGER NOT NULL,
    answer BLOB    NOT NULL,
    seen   REAL    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX lane_peer_seen ON lane_peer (seen);

-- Ids that users chose, until they are forgotten.
CREATE TABLE lane_named (
    id    TEXT PRIMARY KEY,
    until REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX lane_named_until ON lane_named (until);

-- One row: above which number a lane that was forgotten begins again, and the last turn that was given.
CREATE TABLE lane_mark (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    mark INTEGER NOT NULL,
    turn INTEGER NOT NULL
) STRICT;
