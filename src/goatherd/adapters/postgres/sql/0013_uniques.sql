-- Which jobs are the only ones of their key.

CREATE TABLE goatherd.unique_key (
    key    text   COLLATE "C" PRIMARY KEY,
    job    text   COLLATE "C" NOT NULL,
    sender text   NOT NULL,              -- who is sending it; '' when it is sent
    until  bigint NOT NULL               -- the key is free afterwards: microseconds since the epoch
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE INDEX unique_key_until ON goatherd.unique_key (until);
CREATE INDEX unique_key_job ON goatherd.unique_key (job);

-- Forget keys whose time is over, some at a time. Not in a transaction of the user's own: others who want such a key
-- would wait until that has ended.
CREATE FUNCTION goatherd.unique_forget(p_now bigint) RETURNS void LANGUAGE sql AS $$
    DELETE FROM goatherd.unique_key u WHERE u.ctid = ANY (ARRAY(
        SELECT o.ctid FROM goatherd.unique_key o WHERE o.until <= goatherd.clock(p_now) ORDER BY o.until LIMIT 20
        FOR UPDATE SKIP LOCKED
    ))
$$;

-- Take keys for jobs; `p_sender` is '' where they are as good as sent. Gives what became of each, and whose it is.
CREATE FUNCTION goatherd.unique_take(
    p_keys text[], p_jobs text[], p_spans bigint[], p_sender text, p_now bigint,
    OUT states text[], OUT jobs text[]
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now bigint := goatherd.clock(p_now);
BEGIN
    -- In order, so that of two who want the same ones neither waits for the other.
    WITH taken AS (
        INSERT INTO goatherd.unique_key AS u (key, job, sender, until)
        SELECT a.key, a.job, p_sender, v_now + a.span FROM unnest(p_keys, p_jobs, p_spans) AS a (key, job, span)
        ORDER BY a.key
        ON CONFLICT (key) DO UPDATE SET job = excluded.job, sender = excluded.sender, until = excluded.until
        WHERE u.until <= v_now OR (u.sender = excluded.sender AND u.sender <> '')
        RETURNING u.key
    )
    SELECT array_agg(t.key) INTO jobs FROM taken t;
    -- Another statement, which sees those that the first one waited for.
    SELECT array_agg(CASE WHEN a.key = ANY (coalesce(jobs, '{}')) THEN 'ours'
                          WHEN u.sender = '' THEN 'taken' ELSE 'pending' END ORDER BY a.at),
           array_agg(coalesce(u.job, a.job) ORDER BY a.at)
    INTO states, jobs
    FROM unnest(p_keys, p_jobs) WITH ORDINALITY AS a (key, job, at)
    LEFT JOIN goatherd.unique_key u ON u.key = a.key;
END
$$;
