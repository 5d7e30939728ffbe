-- How the listeners of all processes stand, for people.

CREATE TABLE listening_process (
    process TEXT PRIMARY KEY,
    seen    REAL NOT NULL,
    until   REAL NOT NULL                      -- it is taken for dead afterwards
) STRICT, WITHOUT ROWID;

CREATE TABLE listener (
    process       TEXT    NOT NULL REFERENCES listening_process (process) ON DELETE CASCADE,
    queue         TEXT    NOT NULL,
    pattern       TEXT    NOT NULL,
    condition     TEXT    NOT NULL,
    since         REAL    NOT NULL,
    restarts      INTEGER NOT NULL,
    failures      INTEGER NOT NULL,
    why           TEXT    NOT NULL,
    last_delivery REAL,
    wanted        INTEGER NOT NULL DEFAULT 0,  -- whether somebody wants it restarted
    PRIMARY KEY (process, queue)
) STRICT, WITHOUT ROWID;

CREATE INDEX listener_queue  ON listener (queue);
CREATE INDEX listener_wanted ON listener (process) WHERE wanted;
