-- The feed for routers, who holds it, and the history that they write.

-- An event waits here until a router has settled it; `taken` is when it was given to the one that holds the feed.
CREATE TABLE feed (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    job   TEXT    NOT NULL,
    epoch TEXT    NOT NULL,
    seq   INTEGER NOT NULL,
    kind  TEXT    NOT NULL,
    body  BLOB    NOT NULL,
    at    REAL    NOT NULL,
    taken REAL
) STRICT;

CREATE INDEX feed_taken ON feed (taken) WHERE taken IS NOT NULL;

-- One row: which router holds the feed and until when, and how many events were dropped.
CREATE TABLE feed_holder (
    one     INTEGER PRIMARY KEY CHECK (one = 1),
    router  TEXT    NOT NULL DEFAULT '',               -- empty: none has ever come
    until   REAL    NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO feed_holder (one) VALUES (1);

CREATE TABLE history (
    job        TEXT    PRIMARY KEY,
    epoch      TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    attempt    INTEGER NOT NULL,
    stage      TEXT    NOT NULL,
    progress   REAL,
    result     BLOB,
    error      TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    traceback  TEXT    NOT NULL,
    closed     INTEGER NOT NULL,
    at         REAL    NOT NULL,
    queued_at  REAL,
    started_at REAL,
    ended_at   REAL
) STRICT, WITHOUT ROWID;

CREATE INDEX history_at ON history (at);
