-- How workers come to the heads of lanes, and keep them.

-- Claim heads of lanes that are ready, but none whose turn was before `p_floor`. The queues take turns, and so do the
-- lanes of each.
CREATE FUNCTION goatherd.lane_claim(
    p_app text, p_worker text, p_queues text[], p_first bigint, p_wanted integer, p_floor bigint, p_lease bigint,
    p_now bigint,
    OUT lanes text[], OUT tokens bigint[], OUT seqs bigint[], OUT deaths integer[], OUT lowest bigint
) LANGUAGE plpgsql AS $$
DECLARE
    v_count integer := cardinality(p_queues);
    v_nth   integer;
    v_share integer;
    v_those record;
BEGIN
    lanes := '{}';
    -- In the first round each queue has its share, in the second what others have left.
    FOR v_nth IN 0 .. CASE WHEN v_count = 1 THEN 0 ELSE 2 * v_count - 1 END LOOP
        v_share := p_wanted - cardinality(lanes);
        EXIT WHEN v_share <= 0;
        IF v_nth < v_count THEN
            v_share := ceil(v_share::float8 / (v_count - v_nth));
        END IF;
        WITH picked AS MATERIALIZED (
            SELECT h.ctid AS head FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.queue = p_queues[1 + (p_first + v_nth) % v_count] AND h.condition = 'ready'
              AND h.turn >= p_floor
            ORDER BY h.turn LIMIT v_share FOR UPDATE SKIP LOCKED
        ), taken AS (
            UPDATE goatherd.lane_head h
            SET condition = 'running', token = greatest(h.token + 1, p_now), worker = p_worker, since = p_now,
                due = p_now + p_lease
            FROM picked p WHERE h.ctid = p.head
            RETURNING h.lane, h.token, h.seq, h.deaths, h.turn
        )
        SELECT array_agg(t.lane ORDER BY t.turn) AS lanes, array_agg(t.token ORDER BY t.turn) AS tokens,
               array_agg(t.seq ORDER BY t.turn) AS seqs, array_agg(t.deaths ORDER BY t.turn) AS deaths,
               min(t.turn) AS lowest
        INTO v_those FROM taken t;
        lanes := lanes || v_those.lanes;
        tokens := tokens || v_those.tokens;
        seqs := seqs || v_those.seqs;
        deaths := deaths || v_those.deaths;
        lowest := least(lowest, v_those.lowest);
    END LOOP;
END
$$;

-- What is done once in a while, and whenever there is nothing better to do: end what is due. Gives the queues in which
-- a lane is ready now, and whether there may be more.
CREATE FUNCTION goatherd.lane_look(p_app text, p_now bigint, p_given bigint, OUT rings text[], OUT more boolean)
LANGUAGE plpgsql AS $$
DECLARE
    v_due bigint;
BEGIN
    SELECT h.due INTO v_due FROM goatherd.lane_head h WHERE h.app = p_app AND h.due IS NOT NULL ORDER BY h.due LIMIT 1;
    IF v_due <= p_now THEN
        SELECT w.rings, w.more INTO rings, more FROM goatherd.lane_wake(p_app, p_now) w;
    END IF;
    SELECT l.due INTO v_due FROM goatherd.lane_later l WHERE l.app = p_app ORDER BY l.due LIMIT 1;
    IF v_due <= p_now THEN
        SELECT lane_look.rings || j.rings, lane_look.more OR j.more INTO rings, more
        FROM goatherd.lane_join(p_app, p_now, p_given) j;
    END IF;
END
$$;

-- Microseconds until something is due; NULL if there is nothing such.
CREATE FUNCTION goatherd.lane_next_due(p_app text, p_now bigint, p_more boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_due   bigint;
    v_what  text;
    v_later bigint;
BEGIN
    SELECT h.due, h.condition INTO v_due, v_what FROM goatherd.lane_head h
    WHERE h.app = p_app AND h.due IS NOT NULL ORDER BY h.due LIMIT 1;
    IF v_what = 'empty' THEN
        -- Nobody waits for that.
        SELECT h.due INTO v_due FROM goatherd.lane_head h
        WHERE h.app = p_app AND h.due IS NOT NULL AND h.condition <> 'empty' ORDER BY h.due LIMIT 1;
    END IF;
    SELECT l.due INTO v_later FROM goatherd.lane_later l WHERE l.app = p_app ORDER BY l.due LIMIT 1;
    v_due := least(v_due, v_later) - p_now;
    IF v_due <= 0 THEN
        -- What is due and was not seen to is either more than could be, or in somebody else's hands.
        v_due := CASE WHEN p_more THEN 0 ELSE 20000 END;
    END IF;
    RETURN v_due;
END
$$;

-- Have them for so long from now; tells for each whether the worker had it still. One that somebody does something with
-- at this moment, perhaps in a transaction of the user's own, is left as it is.
CREATE FUNCTION goatherd.lane_beat(
    p_app text, p_lanes text[], p_tokens bigint[], p_seqs bigint[], p_lease bigint, p_now bigint
) RETURNS boolean[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now bigint := goatherd.clock(p_now);
BEGIN
    WITH mine AS MATERIALIZED (
        SELECT h.ctid AS head FROM unnest(p_lanes, p_tokens, p_seqs) AS a (lane, token, seq) CROSS JOIN LATERAL (
            SELECT h.ctid FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.lane = a.lane AND h.token = a.token AND h.seq = a.seq AND h.condition = 'running'
            FOR UPDATE SKIP LOCKED
        ) h
    )
    UPDATE goatherd.lane_head h SET due = v_now + p_lease FROM mine m WHERE h.ctid = m.head;
    RETURN ARRAY(
        SELECT h.found IS NOT NULL
        FROM unnest(p_lanes, p_tokens, p_seqs) WITH ORDINALITY AS a (lane, token, seq, at)
        LEFT JOIN LATERAL (
            SELECT true AS found FROM goatherd.lane_head h
            WHERE h.app = p_app AND h.lane = a.lane AND h.token = a.token AND h.seq = a.seq AND h.condition = 'running'
            OFFSET 0
        ) h ON true ORDER BY a.at
    );
END
$$;
