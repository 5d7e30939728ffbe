-- The history so that jobs are found in it: in the order in which they were accepted, by what they are, by their words.

-- What many jobs have in common. It is gone with the last of them.
CREATE TABLE history_facets (
    facet INTEGER PRIMARY KEY,
    task  TEXT NOT NULL,
    queue TEXT NOT NULL,
    kind  TEXT NOT NULL,                               -- job, run or tick
    UNIQUE (task, queue, kind)
) STRICT;

-- How many jobs there are of each; kept with every write, so that nobody has to count them.
CREATE TABLE history_counts (
    facet  INTEGER NOT NULL,
    status TEXT    NOT NULL,
    jobs   INTEGER NOT NULL,
    PRIMARY KEY (facet, status)
) STRICT, WITHOUT ROWID;

-- The words of each job, by its place. They are split before they come here, so that every store finds the same.
CREATE VIRTUAL TABLE history_words USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='ascii'
);

-- In the place of `history`, which a router of a former version that still runs must not find: it would drop old jobs
-- without their words, and they would be counted for ever.
CREATE TABLE job_record (
    place      INTEGER PRIMARY KEY,                    -- 1024 times the microsecond in which it was accepted, or more
    job        TEXT    NOT NULL,
    facet      INTEGER NOT NULL,
    epoch      TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    attempt    INTEGER NOT NULL,
    stage      TEXT    NOT NULL,
    progress   REAL,
    error      TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    closed     INTEGER NOT NULL,
    at         REAL    NOT NULL,
    created    REAL    NOT NULL,
    queued_at  REAL,
    started_at REAL,
    ended_at   REAL,
    key        TEXT    NOT NULL,
    arguments  BLOB    NOT NULL,                       -- JSON without secrets, or empty
    -- What lists do not show is at the end, so that it need not be read for them.
    result     BLOB,
    traceback  TEXT    NOT NULL
) STRICT;

INSERT INTO history_facets (facet, task, queue, kind)
SELECT 1, '', '', 'job' FROM history LIMIT 1;

-- Each place is greater than the one before it, however many jobs were accepted at once.
INSERT INTO job_record
SELECT max(moment - turn) OVER (ORDER BY turn) + turn, job, 1, epoch, seq, status, attempt, stage, progress, error,
       message, closed, at, created, queued_at, started_at, ended_at, '', x'', result, traceback
FROM (
    SELECT *, row_number() OVER (ORDER BY created, job) AS turn FROM (
        SELECT *, coalesce(queued_at, at) AS created,
               CASE WHEN coalesce(queued_at, at) BETWEEN 0 AND 8e9
                    THEN CAST(round(coalesce(queued_at, at) * 1000000) AS INTEGER) * 1024 ELSE 0 END AS moment
        FROM history
    )
);

DROP TABLE history;

CREATE UNIQUE INDEX history_job ON job_record (job);
CREATE INDEX history_facet ON job_record (facet, status);

INSERT INTO history_counts SELECT facet, status, count(*) FROM job_record GROUP BY facet, status;

-- The function is this program's own.
INSERT INTO history_words (rowid, words)
SELECT place, goatherd_words_of_history(job, status, error, message) FROM job_record;
