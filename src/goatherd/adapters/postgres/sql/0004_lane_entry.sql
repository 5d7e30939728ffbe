-- How jobs come into lanes.

-- Put jobs at the end of their lanes. Arrays that are NULL mean what is usual. Gives what became of each, and the
-- queues in which a lane is ready now.
CREATE TYPE goatherd.lane_placed AS (answers text[], aheads bigint[], rings text[]);

CREATE FUNCTION goatherd.lane_place(
    p_app text, p_ids text[], p_lanes text[], p_queues text[], p_contents bytea[], p_policies text[], p_limits bigint[],
    p_accepted bigint[], p_dues bigint[], p_now bigint, p_own boolean,
    OUT answers text[], OUT aheads bigint[], OUT rings text[]
) LANGUAGE plpgsql SET enable_hashjoin = on AS $$
DECLARE
    v_now    bigint := goatherd.clock(p_now);
    v_lanes  text[];
    v_tails  bigint[];
    v_placed bigint[];
    v_counts bigint[];
    v_late   text[];
    v_idle   text[];
    v_heads  tid[];
    v_seqs   bigint[];
BEGIN
    -- The lock on its tail, which is kept until the end, makes the order of seqs the order of commits.
    WITH coming AS (
        SELECT l.lane, count(*) AS n FROM unnest(p_lanes) AS l (lane) GROUP BY l.lane
    ), tails AS (
        INSERT INTO goatherd.lane_tail AS t (app, lane, tail, placed)
        SELECT p_app, c.lane, goatherd.clock(p_now) + c.n - 1, c.n FROM coming c ORDER BY c.lane
        ON CONFLICT (app, lane) DO UPDATE
        SET tail = greatest(t.tail + excluded.placed, excluded.tail), placed = t.placed + excluded.placed
        RETURNING t.lane, t.tail, t.placed, goatherd.clock(p_now) AS at
    )
    SELECT array_agg(t.lane), array_agg(t.tail), array_agg(t.placed), array_agg(c.n),
           array_agg(t.lane) FILTER (WHERE t.placed = c.n AND t.at - t.tail + c.n > 50)
    INTO v_lanes, v_tails, v_placed, v_counts, v_late
    FROM tails t JOIN coming c USING (lane);
    IF v_late IS NOT NULL THEN
        -- A lane that is new, but whose tail took its time: it may have waited for one who used the lane, which has
        -- since been drained and forgotten. Its numbers must be above those, so they are taken from the clock again.
        WITH later AS (
            UPDATE goatherd.lane_tail t SET tail = greatest(t.tail, goatherd.clock(p_now) + t.placed - 1)
            WHERE t.app = p_app AND t.lane = ANY (v_late) RETURNING t.lane, t.tail
        )
        SELECT array_agg(o.lane), array_agg(coalesce(l.tail, o.tail)), array_agg(o.placed), array_agg(o.n)
        INTO v_lanes, v_tails, v_placed, v_counts
        FROM unnest(v_lanes, v_tails, v_placed, v_counts) AS o (lane, tail, placed, n) LEFT JOIN later l USING (lane);
    END IF;

    WITH known AS MATERIALIZED (
        SELECT t.*, h.lane IS NULL AS fresh, coalesce(h.passed, 0) AS passed,
               h.condition IN ('drained', 'empty') AS idle
        FROM unnest(v_lanes, v_tails, v_placed, v_counts) AS t (lane, tail, placed, n)
        LEFT JOIN LATERAL (
            SELECT * FROM goatherd.lane_head h WHERE h.app = p_app AND h.lane = t.lane OFFSET 0
        ) h ON true
    ), coming AS (
        SELECT a.*, k.fresh, k.idle, k.tail - k.n + row_number() OVER before AS seq,
               k.placed - k.n - k.passed + row_number() OVER before AS length
        FROM unnest(p_ids, p_lanes, p_queues, p_contents, p_policies, p_limits, p_accepted, p_dues) WITH ORDINALITY
             AS a (id, lane, queue, content, policy, allowed, accepted, due, at)
        JOIN known k USING (lane)
        WINDOW before AS (PARTITION BY a.lane ORDER BY a.at)
    ), judged AS MATERIALIZED (
        SELECT c.*, p_limits IS NOT NULL
               AND coalesce(bool_or(c.length > c.allowed) OVER (PARTITION BY c.lane ORDER BY c.at), false) AS refused,
               c.fresh AND row_number() OVER (PARTITION BY c.lane ORDER BY c.at) = 1 AS first
        FROM coming c
    ), items AS (
        INSERT INTO goatherd.lane_item (app, lane, seq, id, queue, content, on_exhausted, accepted, due)
        SELECT p_app, j.lane, j.seq, j.id, j.queue, j.content, coalesce(j.policy, 'hold'), coalesce(j.accepted, v_now),
               j.due
        FROM judged j WHERE NOT j.refused
    ), heads AS (
        INSERT INTO goatherd.lane_head (app, lane, queue, seq, condition, turn, due, since)
        SELECT p_app, j.lane, j.queue, j.seq, CASE WHEN j.due > v_now THEN 'waiting' ELSE 'ready' END,
               nextval('goatherd.lane_turn'), CASE WHEN j.due > v_now THEN j.due END, v_now
        FROM judged j WHERE j.first AND NOT j.refused ORDER BY j.at
        ON CONFLICT DO NOTHING
        RETURNING queue, condition
    )
    SELECT array_agg(CASE WHEN j.refused THEN 'full' ELSE 'placed' END ORDER BY j.at),
           array_agg(j.length - 1 ORDER BY j.at),
           (SELECT array_agg(DISTINCT h.queue) FROM heads h WHERE h.condition = 'ready'),
           array_agg(DISTINCT j.lane) FILTER (WHERE j.idle)
    INTO answers, aheads, rings, v_idle
    FROM judged j;

    IF 'full' = ANY (answers) THEN
        WITH refused AS MATERIALIZED (
            SELECT t.ctid AS tail, f.n FROM (
                SELECT a.lane, count(*) AS n FROM unnest(p_lanes, answers) AS a (lane, answer)
                WHERE a.answer = 'full' GROUP BY a.lane
            ) f CROSS JOIN LATERAL (
                SELECT t.ctid FROM goatherd.lane_tail t WHERE t.app = p_app AND t.lane = f.lane OFFSET 0
            ) t
        )
        UPDATE goatherd.lane_tail t SET placed = t.placed - r.n FROM refused r WHERE t.ctid = r.tail;
    END IF;
    IF p_own AND v_idle IS NOT NULL THEN
        -- In a long transaction it stays drained, and is looked at again; so it is if somebody looks at it right now.
        SELECT array_agg(h.ctid), array_agg(i.lane), array_agg(h.seq) INTO v_heads, v_idle, v_seqs
        FROM unnest(v_idle) AS i (lane) CROSS JOIN LATERAL (
            SELECT h.ctid, h.seq FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.lane = i.lane AND h.condition IN ('drained', 'empty') FOR UPDATE SKIP LOCKED
        ) h;
        IF v_idle IS NOT NULL THEN
            rings := rings || goatherd.lane_advance(
                p_app, v_heads, v_idle, v_seqs, array_fill(0::bigint, ARRAY[cardinality(v_idle)]), v_now, false);
        END IF;
    END IF;
END
$$;

-- The last call of a sender or worker, which has no second one in flight: a repeated one waits here for the first.
CREATE FUNCTION goatherd.lane_greet(p_app text, p_peer text, p_now bigint) RETURNS goatherd.lane_peer
LANGUAGE plpgsql AS $$
DECLARE
    v_peer goatherd.lane_peer;
BEGIN
    SELECT * INTO v_peer FROM goatherd.lane_peer p WHERE p.app = p_app AND p.peer = p_peer FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO goatherd.lane_peer AS p (app, peer, number, seen) VALUES (p_app, p_peer, -1, p_now)
        ON CONFLICT (app, peer) DO UPDATE SET seen = p.seen RETURNING p.* INTO v_peer;
    END IF;
    RETURN v_peer;
END
$$;

-- Jobs of which some come later, or have ids that are remembered.
CREATE FUNCTION goatherd.lane_sort(
    p_app text, p_ids text[], p_lanes text[], p_queues text[], p_contents bytea[], p_policies text[], p_limits bigint[],
    p_delays bigint[], p_keeping boolean[], p_named boolean[], p_remembered bigint, p_at bigint, p_now bigint,
    p_own boolean,
    OUT answers text[], OUT aheads bigint[], OUT rings text[]
) LANGUAGE plpgsql AS $$
DECLARE
    v_new   text[];
    v_these record;
    v_told  goatherd.lane_placed;
BEGIN
    WITH names AS (
        INSERT INTO goatherd.lane_name AS n (app, id, until)
        SELECT DISTINCT p_app, a.id, p_at + p_remembered FROM unnest(p_ids, p_named) AS a (id, named)
        WHERE a.named ORDER BY a.id
        ON CONFLICT (app, id) DO UPDATE SET until = excluded.until WHERE n.until <= p_at
        RETURNING n.id
    )
    SELECT array_agg(n.id) INTO v_new FROM names n;
    -- Of those with one id only the first is taken.
    SELECT array_agg(CASE
        WHEN a.named AND (a.id <> ALL (coalesce(v_new, '{}')) OR a.nth > 1) THEN 'known'
        WHEN a.delay > 0 AND a.keeping IS NOT TRUE THEN 'later'
    END ORDER BY a.at) INTO answers
    FROM (
        SELECT u.*, row_number() OVER (PARTITION BY u.id, u.named ORDER BY u.at) AS nth
        FROM unnest(p_ids, p_delays, p_keeping, p_named) WITH ORDINALITY AS u (id, delay, keeping, named, at)
    ) a;
    SELECT array_agg(a.at ORDER BY a.at) AS ats, array_agg(a.id ORDER BY a.at) AS ids,
           array_agg(a.lane ORDER BY a.at) AS lanes, array_agg(a.queue ORDER BY a.at) AS queues,
           array_agg(a.content ORDER BY a.at) AS contents, array_agg(a.policy ORDER BY a.at) AS policies,
           array_agg(a.allowed ORDER BY a.at) AS limits,
           array_agg(CASE WHEN a.delay > 0 THEN p_at + a.delay END ORDER BY a.at) AS dues
    INTO v_these
    FROM unnest(p_ids, p_lanes, p_queues, p_contents, p_policies, p_limits, p_delays, answers) WITH ORDINALITY
         AS a (id, lane, queue, content, policy, allowed, delay, answer, at)
    WHERE a.answer IS NULL;
    IF v_these.ats IS NOT NULL THEN
        SELECT * INTO v_told FROM goatherd.lane_place(
            p_app, v_these.ids, v_these.lanes, v_these.queues, v_these.contents, v_these.policies,
            CASE WHEN p_limits IS NOT NULL THEN v_these.limits END, NULL, v_these.dues, p_now, p_own);
        rings := v_told.rings;
    END IF;
    -- None overtakes one that was refused.
    SELECT array_agg(CASE WHEN j.answer = 'later' AND j.refused THEN 'full' ELSE j.answer END ORDER BY j.at),
           array_agg(coalesce(j.ahead, 0) ORDER BY j.at)
    INTO answers, aheads
    FROM (
        SELECT a.at, coalesce(a.answer, t.answer) AS answer, t.ahead,
               coalesce(bool_or(t.answer = 'full') OVER (PARTITION BY a.lane ORDER BY a.at), false) AS refused
        FROM unnest(p_lanes, answers) WITH ORDINALITY AS a (lane, answer, at)
        LEFT JOIN unnest(v_these.ats, v_told.answers, v_told.aheads) AS t (at, answer, ahead) USING (at)
    ) j;
    -- An id that was refused is not known: nor does another job of that id, which came with it, count as taken.
    SELECT array_agg(CASE WHEN j.answer = 'known' AND j.refused THEN 'full' ELSE j.answer END ORDER BY j.at) INTO answers
    FROM (
        SELECT a.at, a.answer, bool_or(a.answer = 'full') OVER (PARTITION BY a.id, a.named ORDER BY a.at) AS refused
        FROM unnest(p_ids, p_named, answers) WITH ORDINALITY AS a (id, named, answer, at)
    ) j;
    INSERT INTO goatherd.lane_later (app, due, accepted, lane, id, queue, content, on_exhausted)
    SELECT p_app, p_at + a.delay, p_at + a.delay, a.lane, a.id, a.queue, a.content, coalesce(a.policy, 'hold')
    FROM unnest(p_ids, p_lanes, p_queues, p_contents, p_policies, p_delays, answers) WITH ORDINALITY
         AS a (id, lane, queue, content, policy, delay, answer, at)
    WHERE a.answer = 'later' ORDER BY a.at;
    DELETE FROM goatherd.lane_name n USING unnest(p_ids, p_named, answers) AS a (id, named, answer)
    WHERE a.named AND a.answer = 'full' AND n.app = p_app AND n.id = a.id;
END
$$;

-- Take jobs from a sender. Without a sender (NULL) it is in a transaction of the user's own.
CREATE FUNCTION goatherd.lane_enqueue(
    p_app text, p_sender text, p_number bigint, p_ids text[], p_lanes text[], p_queues text[], p_contents bytea[],
    p_policies text[], p_limits bigint[], p_delays bigint[], p_keeping boolean[], p_named boolean[],
    p_remembered bigint, p_now bigint,
    OUT answers text[], OUT aheads bigint[], OUT rings text[]
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now    bigint := goatherd.clock(p_now);
    v_peer   goatherd.lane_peer;
BEGIN
    IF p_sender IS NOT NULL THEN
        v_peer := goatherd.lane_greet(p_app, 'sender ' || p_sender, v_now);
        IF v_peer.number >= p_number THEN
            IF v_peer.number = p_number THEN
                answers := v_peer.answers;
                aheads := v_peer.aheads;
            END IF;
            RETURN;
        END IF;
    END IF;
    IF p_delays IS NULL AND p_named IS NULL THEN
        SELECT * INTO answers, aheads, rings FROM goatherd.lane_place(
            p_app, p_ids, p_lanes, p_queues, p_contents, p_policies, p_limits, NULL, NULL, p_now, p_sender IS NOT NULL);
    ELSE
        SELECT * INTO answers, aheads, rings FROM goatherd.lane_sort(
            p_app, p_ids, p_lanes, p_queues, p_contents, p_policies, p_limits, p_delays, p_keeping, p_named,
            p_remembered, v_now, p_now, p_sender IS NOT NULL);
    END IF;
    IF p_sender IS NOT NULL THEN
        UPDATE goatherd.lane_peer p
        SET number = p_number, seen = v_now, answers = lane_enqueue.answers, aheads = lane_enqueue.aheads
        WHERE p.app = p_app AND p.peer = 'sender ' || p_sender;
    END IF;
END
$$;
