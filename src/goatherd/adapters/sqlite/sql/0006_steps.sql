-- Runs of pipelines: their units of work, who has each, what is done, and letters of those that failed.

CREATE TABLE run (
    id       INTEGER PRIMARY KEY,              -- in the order in which they began
    name     TEXT    NOT NULL UNIQUE,          -- the id by which everybody else knows it
    pipeline TEXT    NOT NULL,
    state    TEXT    NOT NULL DEFAULT 'running',
    input    BLOB    NOT NULL,
    trace    TEXT    NOT NULL,
    priority INTEGER NOT NULL,
    created  REAL    NOT NULL,
    ended    REAL,                             -- when it ended last, perhaps to be taken up again
    told     INTEGER NOT NULL DEFAULT 0,       -- whether those who watch it know of that end
    step     TEXT    NOT NULL DEFAULT '',      -- the one that failed, and why; or the last
    trouble  BLOB
) STRICT;

CREATE INDEX run_state  ON run (state);
CREATE INDEX run_untold ON run (ended) WHERE state <> 'running' AND told = 0;
CREATE INDEX run_told   ON run (ended) WHERE state <> 'running' AND told = 1;

-- A step as a whole has the item -1; as the head of parcels it counts them.
CREATE TABLE run_unit (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL,
    step      TEXT    NOT NULL,
    item      INTEGER NOT NULL,
    pipeline  TEXT    NOT NULL,
    place     INTEGER NOT NULL,                -- of its step in the plan
    state     TEXT    NOT NULL,
    phase     TEXT    NOT NULL DEFAULT 'do',
    stuck     INTEGER,                         -- set while it has failed or waits for somebody to stand in
    size      INTEGER NOT NULL DEFAULT 0,
    content   BLOB    NOT NULL DEFAULT x'',
    result    BLOB,
    failures  INTEGER NOT NULL DEFAULT 0,
    forgone   INTEGER NOT NULL DEFAULT 0,      -- failed attempts before somebody was to stand in
    deaths    INTEGER NOT NULL DEFAULT 0,
    trouble   BLOB,
    round     INTEGER NOT NULL,                -- the token that it began with, or began again
    token     INTEGER NOT NULL,                -- of the last one who had it
    settled   INTEGER NOT NULL DEFAULT 0,      -- the token under which it was settled last
    worker    TEXT    NOT NULL DEFAULT '',
    lease     REAL,                            -- until when somebody has it
    accepted  REAL    NOT NULL DEFAULT 0,      -- when it became ready, or will be
    tell      REAL,                            -- when workers are to be told of it; only while its run goes on
    tellings  INTEGER NOT NULL DEFAULT 0,
    started   REAL,
    ended     REAL,
    missing   INTEGER NOT NULL DEFAULT 0,      -- steps before it that are not done
    total     INTEGER,                         -- items of a head, and those that are not done
    remaining INTEGER NOT NULL DEFAULT 0,
    at_once   INTEGER,
    active    INTEGER NOT NULL DEFAULT 0,      -- parcels that count against it
    UNIQUE (run, step, item)
) STRICT;

CREATE INDEX run_unit_head  ON run_unit (run, place)       WHERE item = -1;
CREATE INDEX run_unit_tell  ON run_unit (pipeline, tell)   WHERE tell IS NOT NULL;
CREATE INDEX run_unit_lease ON run_unit (lease)            WHERE lease IS NOT NULL;
CREATE INDEX run_unit_held  ON run_unit (run, step, item)  WHERE state = 'held';
CREATE INDEX run_unit_stuck ON run_unit (run, step)        WHERE stuck IS NOT NULL;

CREATE TABLE run_letter (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    letter  TEXT    NOT NULL UNIQUE,
    content BLOB    NOT NULL
) STRICT;
