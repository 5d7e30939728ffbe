-- Which processes do something for an app, as they tell of themselves, what all of them do, and what operators did.

CREATE TABLE process (
    app     TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    host    TEXT    NOT NULL,
    started REAL    NOT NULL,
    seen    REAL    NOT NULL,
    until   REAL    NOT NULL,                  -- it is taken for dead afterwards
    number  INTEGER NOT NULL,                  -- of the last report that was counted
    state   BLOB    NOT NULL,                  -- the rest, as JSON
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;

-- What all processes counted together, in spans of ten seconds.
CREATE TABLE throughput (
    app           TEXT    NOT NULL,
    bucket        INTEGER NOT NULL,
    queue         TEXT    NOT NULL,            -- or the pattern of many; empty: events of streams
    sent          INTEGER NOT NULL,
    done          INTEGER NOT NULL,
    failed        INTEGER NOT NULL,
    retried       INTEGER NOT NULL,
    dead          INTEGER NOT NULL,
    stream_events INTEGER NOT NULL,
    PRIMARY KEY (app, bucket, queue)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    app     TEXT NOT NULL,
    id      TEXT NOT NULL,
    at      REAL NOT NULL,
    who     TEXT NOT NULL,
    role    TEXT NOT NULL,
    address TEXT NOT NULL,
    action  TEXT NOT NULL,
    target  TEXT NOT NULL,
    details BLOB NOT NULL,                     -- JSON
    outcome TEXT NOT NULL,
    words   TEXT NOT NULL,                     -- what is searched
    PRIMARY KEY (app, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_at ON audit (app, at, id);
