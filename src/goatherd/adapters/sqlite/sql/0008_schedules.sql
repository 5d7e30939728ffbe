-- Schedules: when each is due, which versions of it programs have, and what has fired.

CREATE TABLE schedule (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    rule       TEXT    NOT NULL,            -- in force
    coded      TEXT,                        -- as programs have it, or had it last
    chosen     TEXT,                        -- as somebody set it; NULL too: it was taken back, and there is no such one
    job        BLOB,                        -- that was set to be sent
    rev        INTEGER NOT NULL,
    until      REAL,                        -- how long the version in force lives; NULL if none does
    paused     INTEGER NOT NULL DEFAULT 0,
    next_at    REAL,
    awaits     INTEGER NOT NULL DEFAULT 0,  -- whether it is due only after an end
    open       INTEGER NOT NULL DEFAULT 0,  -- firings that are due or open, and that wait
    waiting    INTEGER NOT NULL DEFAULT 0,
    last_fired REAL,
    last_ended REAL,
    last_tick  REAL,
    newest     INTEGER,                     -- place of the newest firing, and of the newest one that ended
    newest_end INTEGER,
    due        REAL    GENERATED ALWAYS AS (
        CASE WHEN paused OR awaits OR (until IS NULL AND job IS NULL) THEN NULL ELSE coalesce(next_at, 0.0) END
    )
) STRICT;

CREATE INDEX schedule_until   ON schedule (until) WHERE until IS NOT NULL;
CREATE INDEX schedule_due_job ON schedule (due)   WHERE job IS NOT NULL AND due IS NOT NULL;
CREATE INDEX schedule_removed ON schedule (id)    WHERE coded IS NULL AND chosen IS NULL;

CREATE TABLE schedule_version (
    schedule INTEGER NOT NULL,
    rule     TEXT    NOT NULL,
    appeared INTEGER NOT NULL,              -- greater than that of all that lived then
    until    REAL    NOT NULL,              -- how long it lives
    PRIMARY KEY (schedule, rule)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule_firing (
    place     INTEGER PRIMARY KEY,          -- in the order in which they were put on record
    schedule  INTEGER NOT NULL,
    tick      REAL    NOT NULL,
    id        TEXT    NOT NULL,             -- of the run or the job; '' if there is none
    state     TEXT    NOT NULL,
    triggered INTEGER NOT NULL,
    missed    INTEGER NOT NULL,
    fired     REAL    NOT NULL,
    begun     REAL,
    ended     REAL,
    job       BLOB,
    over      REAL    GENERATED ALWAYS AS (
        CASE WHEN state IN ('missed', 'skipped') THEN fired WHEN state IN ('done', 'failed', 'cancelled') THEN ended END
    ),
    UNIQUE (schedule, tick, triggered)
) STRICT;

CREATE UNIQUE INDEX schedule_firing_id ON schedule_firing (id) WHERE id <> '';
CREATE INDEX schedule_firing_history ON schedule_firing (schedule, place);
CREATE INDEX schedule_firing_due ON schedule_firing (schedule, place) WHERE state = 'due';
CREATE INDEX schedule_firing_job ON schedule_firing (place) WHERE state = 'due' AND job IS NOT NULL;
CREATE INDEX schedule_firing_waiting ON schedule_firing (schedule, place) WHERE state = 'waiting';
CREATE INDEX schedule_firing_over ON schedule_firing (over) WHERE over IS NOT NULL;
