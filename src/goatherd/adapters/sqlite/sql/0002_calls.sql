-- Calls: where the answer to a job goes, and queues for answers, which are gone some time after the last one listened.

ALTER TABLE job ADD COLUMN reply_to TEXT;                      -- null: nobody waits for an answer
ALTER TABLE job ADD COLUMN correlation_id TEXT;                -- null: the job's own id

CREATE INDEX job_call ON job (id) WHERE reply_to IS NOT NULL;

ALTER TABLE queue ADD COLUMN keep REAL;                        -- seconds it is kept without a listener; null: for ever
ALTER TABLE queue ADD COLUMN abandoned REAL;                   -- since when nobody has listened

-- Word for a worker that the caller of a job which it holds has given up.
CREATE TABLE call_off (
    worker INTEGER NOT NULL REFERENCES worker (id) ON DELETE CASCADE,
    job    TEXT    NOT NULL
) STRICT;
