-- The history so that jobs are found in it: in the order in which they were accepted, by what they are, by their words.

-- What many jobs have in common. They stay when the jobs are gone, for they are few.
CREATE TABLE goatherd.job_facet (
    facet  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    prefix text COLLATE "C" NOT NULL,     -- the setting event_prefix, or the app's name
    task   text COLLATE "C" NOT NULL,     -- or the pipeline
    queue  text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL,     -- job, run or tick
    UNIQUE (prefix, task, queue, kind)
);

-- How many jobs came or went of each, to be summed up: several routers that counted in one row would wait for each
-- other. Now and then many rows are replaced by their sum.
CREATE TABLE goatherd.job_count (
    facet  bigint NOT NULL,
    status text   NOT NULL,
    jobs   bigint NOT NULL
);

-- In the place of `job_history`, which a router of a former version that still runs must not find: it would drop old jobs
-- without their words, and they would be counted for ever.
CREATE TABLE goatherd.job_record (
    prefix     text COLLATE "C" NOT NULL,
    job        text COLLATE "C" NOT NULL,
    facet      bigint  NOT NULL,
    number     bigint  NOT NULL,          -- grows with the time at which it was accepted: 1024 for a microsecond
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
    created    float8  NOT NULL,          -- when it was first heard of
    queued_at  float8,
    started_at float8,
    ended_at   float8,
    key        text    NOT NULL,          -- of its lane
    arguments  bytea   NOT NULL,          -- JSON without secrets, or empty
    CONSTRAINT job_record_pkey PRIMARY KEY (prefix, job)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

-- The words of each job. They hardly ever change, and the job's row often does.
CREATE TABLE goatherd.job_words (
    prefix text COLLATE "C" NOT NULL,
    number bigint   NOT NULL,
    job    text COLLATE "C" NOT NULL,
    words  tsvector NOT NULL,
    CONSTRAINT job_words_pkey PRIMARY KEY (prefix, number, job)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

-- What somebody would write from now on would be lost.
LOCK TABLE goatherd.job_history IN ACCESS EXCLUSIVE MODE;

INSERT INTO goatherd.job_facet (prefix, task, queue, kind)
SELECT DISTINCT prefix, '', '', 'job' FROM goatherd.job_history;

INSERT INTO goatherd.job_record
SELECT prefix, job, facet, CASE WHEN first > 0 AND first < 8e9 THEN round(first * 1000000)::bigint * 1024 ELSE 0 END,
       epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed,
       at, first, queued_at, started_at, ended_at, '', ''
FROM goatherd.job_history
JOIN goatherd.job_facet USING (prefix)
CROSS JOIN LATERAL (SELECT coalesce(queued_at, at) AS first) AS heard;

DROP TABLE goatherd.job_history;

CREATE INDEX job_record_facet ON goatherd.job_record (facet, status, number, job);

INSERT INTO goatherd.job_count SELECT facet, status, count(*) FROM goatherd.job_record GROUP BY facet, status;

-- What was noted by former versions is found by its id, its error and its message; words are split as well as can be
-- here. The marks are those of a job of no task and no queue.
INSERT INTO goatherd.job_words
SELECT prefix, number, job, array_to_tsvector(ARRAY(
    SELECT word[1]
    FROM regexp_matches(lower(left(error, 1000) || ' ' || left(message, 1000)), '[[:alnum:]]{1,40}', 'g') AS word
) || ARRAY[
    '§i' || regexp_replace(reverse(right(lower(job), 12)), '[^a-z0-9]', '·', 'g'),
    '§tddd9c40767f9', '§qddd9c40767f9', '§wd5183fa2b252'
] || CASE WHEN status IN ('failed', 'cancelled', 'expired') THEN ARRAY['§e' || status] ELSE '{}' END)
FROM goatherd.job_record;

CREATE INDEX job_words_words ON goatherd.job_words USING gin (words);
