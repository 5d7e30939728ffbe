-- Tallies: counters by key, and the batches that their totals are set apart in to become jobs. Times are microseconds
-- since the epoch.
--
-- Whoever adds locks the row of its key alone; whoever sets totals apart locks the tally first, then keys without a
-- batch; whoever posts locks keys with one, then lanes. So none waits for another in a circle.

CREATE TABLE goatherd.tally (
    app   text COLLATE "C" NOT NULL,
    name  text COLLATE "C" NOT NULL,
    -- Totals are set apart in rounds: the number of the last one, and when it began.
    round bigint NOT NULL,
    began bigint NOT NULL,
    mark  bigint NOT NULL,                -- the seq of the last batch
    PRIMARY KEY (app, name)
) WITH (fillfactor = 50);

-- A key is here while it has something.
CREATE TABLE goatherd.tally_key (
    app   text COLLATE "C" NOT NULL,
    tally text COLLATE "C" NOT NULL,
    key   text COLLATE "C" NOT NULL,
    total bigint NOT NULL,                -- of its counter
    round bigint NOT NULL,                -- the last one when its total rose above zero: it belongs to the next
    seq   bigint,                         -- of its batch; NULL if it has none
    apart bigint,                         -- the total in it
    -- Apart from the total itself, so that most additions change no index.
    above boolean NOT NULL,
    PRIMARY KEY (app, tally, key)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

CREATE INDEX tally_key_above ON goatherd.tally_key (app, tally, round) WHERE above AND seq IS NULL;
CREATE INDEX tally_key_batch ON goatherd.tally_key (app, tally, seq)   WHERE seq IS NOT NULL;

-- Ids of additions, until they are forgotten.
CREATE TABLE goatherd.tally_id (
    app   text COLLATE "C" NOT NULL,
    tally text COLLATE "C" NOT NULL,
    id    text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (app, tally, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE INDEX tally_id_until ON goatherd.tally_id (until);

-- Add to a counter. Gives 1; 0 if an addition of that id is remembered; -1 if the total would be too large.
CREATE FUNCTION goatherd.tally_add(
    p_app text, p_tally text, p_key text, p_amount bigint, p_id text, p_largest bigint, p_remembered bigint, p_now bigint
) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now   bigint;
    v_total bigint;
    v_round bigint;
BEGIN
    IF p_id IS NOT NULL THEN
        v_now := goatherd.clock(p_now);
        INSERT INTO goatherd.tally_id AS i (app, tally, id, until) VALUES (p_app, p_tally, p_id, v_now + p_remembered)
        ON CONFLICT (app, tally, id) DO UPDATE SET until = excluded.until WHERE i.until <= v_now;
        IF NOT FOUND THEN
            RETURN 0;
        END IF;
    END IF;
    SELECT t.round INTO v_round FROM goatherd.tally t WHERE t.app = p_app AND t.name = p_tally;
    INSERT INTO goatherd.tally_key AS k (app, tally, key, total, round, above)
    VALUES (p_app, p_tally, p_key, p_amount, coalesce(v_round, 0), p_amount > 0)
    ON CONFLICT (app, tally, key) DO UPDATE
    SET total = k.total + excluded.total, above = k.total + excluded.total > 0,
        round = CASE WHEN k.above THEN k.round ELSE excluded.round END
    RETURNING k.total INTO v_total;
    IF abs(v_total) > p_largest THEN
        RAISE numeric_value_out_of_range USING MESSAGE = 'tally too large';
    ELSIF v_total = 0 THEN
        DELETE FROM goatherd.tally_key k
        WHERE k.app = p_app AND k.tally = p_tally AND k.key = p_key AND k.total = 0 AND k.seq IS NULL;
    END IF;
    RETURN 1;
END
$$;

-- Forget ids of additions whose time is over, some at a time.
CREATE FUNCTION goatherd.tally_forget(p_limit bigint, p_now bigint) RETURNS void
LANGUAGE sql SET enable_seqscan = off AS $$
    DELETE FROM goatherd.tally_id i WHERE i.ctid = ANY (ARRAY(
        SELECT o.ctid FROM goatherd.tally_id o WHERE o.until <= goatherd.clock(p_now) ORDER BY o.until LIMIT p_limit
        FOR UPDATE SKIP LOCKED
    ))
$$;

-- Set totals above zero apart, and give the oldest batches: a row for each, and in the first one, without a batch, how
-- long it is until the next round; 0 if this one goes on.
CREATE FUNCTION goatherd.tally_seal(p_app text, p_tally text, p_every bigint, p_limit bigint, p_now bigint)
RETURNS TABLE (next_due bigint, batch_key text, batch_seq bigint, batch_total bigint)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now   bigint;
    v_state goatherd.tally;
    v_room  bigint;
    v_mark  bigint;
    v_keys  text[];
    v_goes_on boolean;
BEGIN
    SELECT * INTO v_state FROM goatherd.tally t WHERE t.app = p_app AND t.name = p_tally FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO goatherd.tally AS t (app, name, round, began, mark) VALUES (p_app, p_tally, 0, 0, 0)
        ON CONFLICT (app, name) DO UPDATE SET mark = t.mark RETURNING t.* INTO v_state;
    END IF;
    -- Not before nobody else has it.
    v_now := goatherd.clock(p_now);
    -- A clock that was set back does not stop it for long.
    IF v_state.began > v_now OR v_now - v_state.began >= p_every THEN
        v_state.round := v_state.round + 1;
        v_state.began := v_now;
    END IF;
    SELECT p_limit - count(*) INTO v_room FROM (
        SELECT FROM goatherd.tally_key k WHERE k.app = p_app AND k.tally = p_tally AND k.seq IS NOT NULL LIMIT p_limit
    ) b;
    -- Locked here and changed in another statement, which sees what those did that this one waited for.
    SELECT array_agg(f.key) INTO v_keys FROM (
        SELECT k.key FROM goatherd.tally_key k
        WHERE k.app = p_app AND k.tally = p_tally AND k.above AND k.seq IS NULL AND k.round < v_state.round
        ORDER BY k.round LIMIT v_room + 1 FOR UPDATE
    ) f;
    v_goes_on := cardinality(v_keys) > v_room;
    v_mark := greatest(v_state.mark + 1, v_now);
    WITH taken AS (
        UPDATE goatherd.tally_key k SET seq = v_mark + f.at - 1, apart = k.total, total = 0, above = false
        FROM unnest(v_keys[:v_room]) WITH ORDINALITY AS f (key, at)
        WHERE k.app = p_app AND k.tally = p_tally AND k.key = f.key AND k.above AND k.seq IS NULL
        RETURNING k.seq
    )
    SELECT max(t.seq) INTO v_mark FROM taken t;
    UPDATE goatherd.tally t
    SET round = v_state.round, began = v_state.began,
        mark = coalesce(v_mark, t.mark)
    WHERE t.app = p_app AND t.name = p_tally;
    RETURN QUERY SELECT CASE WHEN v_goes_on THEN 0 ELSE greatest(0, v_state.began + p_every - v_now) END,
                        NULL::text, NULL::bigint, NULL::bigint;
    RETURN QUERY SELECT NULL::bigint, k.key, k.seq, k.apart FROM goatherd.tally_key k
                 WHERE k.app = p_app AND k.tally = p_tally AND k.seq IS NOT NULL ORDER BY k.seq LIMIT p_limit;
END
$$;

-- Forget batches. Gives the places of those that were there.
CREATE FUNCTION goatherd.tally_drop(p_app text, p_tally text, p_keys text[], p_seqs bigint[]) RETURNS bigint[]
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_keys text[];
    v_ats  bigint[];
BEGIN
    -- In order, so that of two who do the same neither waits for the other in a circle. Locked here and changed in
    -- another statement, which sees what those did that this one waited for.
    SELECT array_agg(l.key), array_agg(l.at) INTO v_keys, v_ats FROM (
        SELECT b.key, b.at FROM (
            SELECT DISTINCT ON (u.key COLLATE "C", u.seq) u.* FROM unnest(p_keys, p_seqs) WITH ORDINALITY
                AS u (key, seq, at) ORDER BY u.key COLLATE "C", u.seq, u.at
        ) b CROSS JOIN LATERAL (
            SELECT FROM goatherd.tally_key k
            WHERE k.app = p_app AND k.tally = p_tally AND k.key = b.key AND k.seq = b.seq FOR UPDATE
        ) k
    ) l;
    IF v_keys IS NULL THEN
        RETURN '{}';
    END IF;
    DELETE FROM goatherd.tally_key k
    WHERE k.app = p_app AND k.tally = p_tally AND k.key = ANY (v_keys) AND k.total = 0;
    UPDATE goatherd.tally_key k SET seq = NULL, apart = NULL
    WHERE k.app = p_app AND k.tally = p_tally AND k.key = ANY (v_keys);
    RETURN v_ats;
END
$$;

-- Put the jobs of batches at the end of their lanes and forget the batches. Gives how many were there, and the queues
-- in which a lane is ready now.
CREATE FUNCTION goatherd.tally_post(
    p_app text, p_tally text, p_keys text[], p_seqs bigint[], p_ids text[], p_lanes text[], p_queues text[],
    p_contents bytea[], p_policies text[], p_now bigint, OUT put bigint, OUT rings text[]
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_ats   bigint[] := goatherd.tally_drop(p_app, p_tally, p_keys, p_seqs);
    v_these record;
BEGIN
    put := cardinality(v_ats);
    IF put = 0 THEN
        RETURN;
    END IF;
    SELECT array_agg(p_ids[n] ORDER BY n) AS ids, array_agg(p_lanes[n] ORDER BY n) AS lanes,
           array_agg(p_queues[n] ORDER BY n) AS queues, array_agg(p_contents[n] ORDER BY n) AS contents,
           array_agg(p_policies[n] ORDER BY n) AS policies
    INTO v_these FROM unnest(v_ats) AS n;
    SELECT t.rings INTO rings FROM goatherd.lane_place(
        p_app, v_these.ids, v_these.lanes, v_these.queues, v_these.contents, v_these.policies, NULL, NULL, NULL, p_now,
        true) t;
END
$$;
