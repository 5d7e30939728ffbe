-- What a worker says of the jobs that it had, and what happens when time passes.

-- The heads of these, for as far as a worker has them still; NULL for the others. They are locked.
CREATE FUNCTION goatherd.lane_own(p_app text, p_lanes text[], p_tokens bigint[], p_seqs bigint[]) RETURNS tid[]
LANGUAGE plpgsql AS $$
DECLARE
    v_heads tid[];
    v_at    bigint;
    v_head  tid;
BEGIN
    v_heads := ARRAY(
        SELECT h.ctid FROM unnest(p_lanes, p_tokens, p_seqs) WITH ORDINALITY AS a (lane, token, seq, at)
        LEFT JOIN LATERAL (
            SELECT h.ctid FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.lane = a.lane AND h.token = a.token AND h.seq = a.seq AND h.condition = 'running'
            FOR UPDATE SKIP LOCKED
        ) h ON true ORDER BY a.at
    );
    IF array_position(v_heads, NULL) IS NULL THEN
        RETURN v_heads;
    END IF;
    -- Others are somebody else's by now, or somebody does something with them: that is short, unless it is a
    -- transaction of the user's own, for which nobody waits long.
    FOR v_at IN
        SELECT a.at FROM unnest(p_lanes, p_tokens, p_seqs, v_heads) WITH ORDINALITY AS a (lane, token, seq, head, at)
        CROSS JOIN LATERAL (
            SELECT FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.lane = a.lane AND h.token = a.token AND h.seq = a.seq AND h.condition = 'running'
            OFFSET 0
        ) h WHERE a.head IS NULL
    LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '1s', true);
            SELECT h.ctid INTO v_head FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.lane = p_lanes[v_at] AND h.token = p_tokens[v_at] AND h.seq = p_seqs[v_at]
              AND h.condition = 'running'
            FOR UPDATE;
            v_heads[v_at] := v_head;
            PERFORM set_config('lock_timeout', '0', true);
        EXCEPTION WHEN lock_not_available THEN
            CONTINUE;
        END;
    END LOOP;
    RETURN v_heads;
END
$$;

-- Settle what a worker had. Gives for each whether it had it still, and the queues in which a lane is ready now.
CREATE FUNCTION goatherd.lane_settle(
    p_app text, p_kinds text[], p_lanes text[], p_tokens bigint[], p_seqs bigint[], p_contents bytea[],
    p_delays bigint[], p_burials bytea[], p_policies text[], p_now bigint,
    OUT settled boolean[], OUT rings text[]
) LANGUAGE plpgsql AS $$
DECLARE
    v_own   tid[] := goatherd.lane_own(p_app, p_lanes, p_tokens, p_seqs);
    v_heads tid[];
    v_lanes text[];
    v_seqs  bigint[];
    v_head  record;
BEGIN
    settled := ARRAY(SELECT o.head IS NOT NULL FROM unnest(v_own) WITH ORDINALITY AS o (head, at) ORDER BY o.at);
    SELECT array_agg(a.head ORDER BY a.at), array_agg(a.lane ORDER BY a.at), array_agg(a.seq ORDER BY a.at)
    INTO v_heads, v_lanes, v_seqs
    FROM unnest(v_own, p_kinds, p_lanes, p_seqs) WITH ORDINALITY AS a (head, kind, lane, seq, at)
    WHERE a.head IS NOT NULL AND a.kind = 'commit';
    IF v_heads IS NOT NULL THEN
        WITH done AS MATERIALIZED (
            SELECT i.ctid AS item FROM unnest(v_lanes, v_seqs) AS d (lane, seq) CROSS JOIN LATERAL (
                SELECT i.ctid FROM goatherd.lane_item i
                WHERE i.app = p_app AND i.lane = d.lane AND i.seq = d.seq OFFSET 0
            ) i
        )
        DELETE FROM goatherd.lane_item i USING done d WHERE i.ctid = d.item;
        rings := goatherd.lane_advance(
            p_app, v_heads, v_lanes, v_seqs, array_fill(1::bigint, ARRAY[cardinality(v_lanes)]), p_now, true);
        IF cardinality(v_lanes) = cardinality(p_lanes) THEN
            RETURN;
        END IF;
    END IF;
    FOR v_head IN
        SELECT a.* FROM unnest(v_own, p_kinds, p_lanes, p_seqs, p_contents, p_delays, p_burials, p_policies)
             WITH ORDINALITY AS a (head, kind, lane, seq, content, delay, burial, policy, at)
        WHERE a.kind <> 'commit' AND a.head IS NOT NULL ORDER BY a.at
    LOOP
        rings := rings || goatherd.lane_turn_over(
            p_app, v_head.kind, v_head.policy, v_head.head, v_head.lane, v_head.seq, v_head.content, v_head.delay,
            v_head.burial, p_now);
    END LOOP;
END
$$;

-- Settle one in another way than that it is done.
CREATE FUNCTION goatherd.lane_turn_over(
    p_app text, p_kind text, p_policy text, p_head tid, p_lane text, p_seq bigint, p_content bytea, p_delay bigint,
    p_burial bytea, p_now bigint
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    v_policy text := p_policy;
    v_rings  text[] := '{}';
BEGIN
    IF p_kind = 'release' THEN
        -- With the turn that it had, which is before those of all who came after it.
        UPDATE goatherd.lane_head h SET condition = 'ready', since = p_now, due = NULL, worker = NULL
        WHERE h.ctid = p_head RETURNING ARRAY[h.queue] INTO v_rings;
    ELSIF p_kind = 'again' THEN
        UPDATE goatherd.lane_item i SET content = p_content
        WHERE i.app = p_app AND i.lane = p_lane AND i.seq = p_seq;
        UPDATE goatherd.lane_head h
        SET condition = 'waiting', since = p_now, due = p_now + p_delay, worker = NULL, deaths = 0
        WHERE h.ctid = p_head;
    ELSE
        IF v_policy IS NULL THEN
            SELECT i.on_exhausted INTO v_policy FROM goatherd.lane_item i
            WHERE i.app = p_app AND i.lane = p_lane AND i.seq = p_seq;
        END IF;
        IF v_policy = 'hold' THEN
            UPDATE goatherd.lane_head h
            SET condition = 'held', since = p_now, due = NULL, worker = NULL, burial = p_burial
            WHERE h.ctid = p_head;
        ELSE
            RETURN goatherd.lane_bury(p_app, p_head, p_lane, p_seq, p_burial, v_policy = 'cancel_rest', p_now);
        END IF;
    END IF;
    IF NOT FOUND THEN
        RAISE serialization_failure USING MESSAGE = 'the head of a lane was not locked';
    END IF;
    RETURN v_rings;
END
$$;

-- End what is due at lanes' heads, some at a time. Gives the queues in which a lane is ready now, and whether there may
-- be more.
CREATE FUNCTION goatherd.lane_wake(p_app text, p_now bigint, OUT rings text[], OUT more boolean) LANGUAGE plpgsql AS $$
DECLARE
    v_heads tid[];
    v_idle  text[];
    v_seqs  bigint[];
BEGIN
    WITH due AS MATERIALIZED (
        SELECT h.ctid AS head, h.lane, h.condition, h.seq FROM goatherd.lane_head h
        WHERE h.app = p_app AND h.due <= p_now ORDER BY h.due LIMIT 100 FOR UPDATE SKIP LOCKED
    ), turns AS MATERIALIZED (
        SELECT d.head, nextval('goatherd.lane_turn') AS turn FROM due d WHERE d.condition IN ('running', 'waiting')
    ), woken AS (
        UPDATE goatherd.lane_head h
        SET condition = 'ready', turn = t.turn, since = p_now, due = NULL, worker = NULL,
            deaths = h.deaths + CASE h.condition WHEN 'running' THEN 1 ELSE 0 END
        FROM turns t WHERE h.ctid = t.head
        RETURNING h.queue
    )
    SELECT ARRAY(SELECT w.queue FROM woken w), array_agg(d.head) FILTER (WHERE d.condition IN ('drained', 'empty')),
           array_agg(d.lane) FILTER (WHERE d.condition IN ('drained', 'empty')),
           array_agg(d.seq) FILTER (WHERE d.condition IN ('drained', 'empty')), count(*) >= 100
    INTO rings, v_heads, v_idle, v_seqs, more FROM due d;
    IF v_idle IS NOT NULL THEN
        rings := rings || goatherd.lane_advance(
            p_app, v_heads, v_idle, v_seqs, array_fill(0::bigint, ARRAY[cardinality(v_idle)]), p_now, true);
    END IF;
END
$$;

-- Put jobs that are due now at the end of their lanes, some at a time. Gives the same.
CREATE FUNCTION goatherd.lane_join(p_app text, p_now bigint, p_given bigint, OUT rings text[], OUT more boolean)
LANGUAGE plpgsql AS $$
DECLARE
    v_lanes text[];
    v_lane  text;
BEGIN
    -- Two at a time could change their order.
    IF NOT pg_try_advisory_xact_lock(hashtext('goatherd.lane_later'), hashtext(p_app)) THEN
        RETURN;
    END IF;
    v_lanes := ARRAY(
        SELECT l.lane FROM goatherd.lane_later l
        WHERE l.app = p_app AND l.due <= p_now ORDER BY l.due, l.place LIMIT 100
    );
    more := cardinality(v_lanes) >= 100;
    FOR v_lane IN SELECT DISTINCT u.lane FROM unnest(v_lanes) AS u (lane) LOOP
        BEGIN
            PERFORM set_config('lock_timeout', '50ms', true);
            rings := rings || goatherd.lane_join_one(p_app, v_lane, p_now, p_given);
            PERFORM set_config('lock_timeout', '0', true);
        EXCEPTION WHEN lock_not_available THEN
            -- A transaction of the user's own puts jobs into it; they are behind those for as long as it takes.
            UPDATE goatherd.lane_later l SET due = p_now + 250000 + o.nth
            FROM (
                SELECT e.due, e.place, row_number() OVER (ORDER BY e.due, e.place) AS nth FROM goatherd.lane_later e
                WHERE e.app = p_app AND e.lane = v_lane AND e.due <= p_now
            ) o WHERE l.app = p_app AND l.due = o.due AND l.place = o.place;
        END;
    END LOOP;
END
$$;

CREATE FUNCTION goatherd.lane_join_one(p_app text, p_lane text, p_now bigint, p_given bigint) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    v_rings text[];
BEGIN
    WITH those AS (
        DELETE FROM goatherd.lane_later l
        USING (
            SELECT e.due, e.place FROM goatherd.lane_later e
            WHERE e.app = p_app AND e.due <= p_now ORDER BY e.due, e.place LIMIT 100
        ) o
        WHERE l.app = p_app AND l.due = o.due AND l.place = o.place AND l.lane = p_lane
        RETURNING l.*
    )
    SELECT placed.rings INTO v_rings FROM (
        SELECT array_agg(t.id ORDER BY t.due, t.place) AS ids, array_agg(t.lane) AS lanes,
               array_agg(t.queue ORDER BY t.due, t.place) AS queues,
               array_agg(t.content ORDER BY t.due, t.place) AS contents,
               array_agg(t.on_exhausted ORDER BY t.due, t.place) AS policies,
               array_agg(t.accepted ORDER BY t.due, t.place) AS accepted
        FROM those t
    ) a
    CROSS JOIN LATERAL goatherd.lane_place(
        p_app, a.ids, a.lanes, a.queues, a.contents, a.policies, NULL, a.accepted, NULL, p_given, true) placed
    WHERE a.ids IS NOT NULL;
    RETURN v_rings;
END
$$;
