-- Tallies: counters by key, and the batches that their totals are set apart in to become jobs.

CREATE TABLE tally (
    name  TEXT    PRIMARY KEY,
    -- Totals are set apart in rounds: the number of the last one, and when it began.
    round INTEGER NOT NULL,
    began REAL    NOT NULL,
    mark  INTEGER NOT NULL                     -- the seq of the last batch
) STRICT, WITHOUT ROWID;

-- A key is here while it has something.
CREATE TABLE tally_key (
    tally TEXT    NOT NULL,
    key   TEXT    NOT NULL,
    total INTEGER NOT NULL,                    -- of its counter
    round INTEGER NOT NULL,                    -- the last one when its total rose above zero: it belongs to the next
    seq   INTEGER,                             -- of its batch; NULL if it has none
    apart INTEGER,                             -- the total in it
    PRIMARY KEY (tally, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX tally_key_above ON tally_key (tally, round) WHERE total > 0 AND seq IS NULL;
CREATE INDEX tally_key_batch ON tally_key (tally, seq)   WHERE seq IS NOT NULL;

-- Ids of additions, until they are forgotten.
CREATE TABLE tally_id (
    tally TEXT NOT NULL,
    id    TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (tally, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tally_id_until ON tally_id (until);
