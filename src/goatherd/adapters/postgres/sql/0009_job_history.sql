-- What became of tracked jobs, which outlives their events. Times are seconds since the epoch, as the events have them.

CREATE TABLE goatherd.job_history (
    prefix     text COLLATE "C" NOT NULL, -- the setting event_prefix, or the app's name
    job        text COLLATE "C" NOT NULL,
    -- How it stood after its last event, and which that was.
    epoch      text    NOT NULL,
    seq        bigint  NOT NULL,
    status     text    NOT NULL,          -- queued, running, retrying, done, failed, cancelled or expired
    attempt    bigint  NOT NULL,
    stage      text    NOT NULL,
    progress   float8,
    result     bytea,                     -- JSON
    error      text    NOT NULL,
    message    text    NOT NULL,
    traceback  text    NOT NULL,
    closed     boolean NOT NULL,
    at         float8  NOT NULL,          -- when that event happened
    queued_at  float8,
    started_at float8,
    ended_at   float8,
    PRIMARY KEY (prefix, job)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

-- Those that nothing was heard of for the longest time are dropped first.
CREATE INDEX job_history_at ON goatherd.job_history (prefix, at);
