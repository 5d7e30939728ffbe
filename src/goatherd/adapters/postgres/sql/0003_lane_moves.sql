-- What happens at a lane's head when its first job has left. `p_own` is false in a transaction of the user's own, which
-- may last long and must lock nothing that others wait for.
--
-- In all these functions, rows are found one by one through LATERAL, and changed where they were found (ctid), because
-- a server that believes a table to be empty plans to read the whole of it for each job. For the same reason functions
-- that are called from outside say what plans may not do; and one plan is kept, because making one takes longer than to
-- carry it out.

-- The first job behind `p_seqs` is the head of its lane now, and `p_left` jobs have left; a lane without one is
-- forgotten. `p_heads` are its rows of lane_head, which are locked. Gives the queues in which a lane is ready now.
CREATE FUNCTION goatherd.lane_advance(
    p_app text, p_heads tid[], p_lanes text[], p_seqs bigint[], p_left bigint[], p_now bigint, p_own boolean
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    v_moved bigint;
    v_ready text[];
    v_bare  bigint[];
    v_gone  bigint[];
BEGIN
    WITH behind AS MATERIALIZED (
        SELECT l.at, l.head, l.gone, n.seq, n.queue, n.due, nextval('goatherd.lane_turn') AS turn
        FROM unnest(p_heads, p_lanes, p_seqs, p_left) WITH ORDINALITY AS l (head, lane, seq, gone, at)
        LEFT JOIN LATERAL (
            SELECT i.seq, i.queue, i.due FROM goatherd.lane_item i
            WHERE i.app = p_app AND i.lane = l.lane AND i.seq > l.seq ORDER BY i.seq LIMIT 1
        ) n ON true
    ), moved AS (
        UPDATE goatherd.lane_head h
        SET seq = b.seq, queue = b.queue, turn = b.turn, since = p_now, passed = h.passed + b.gone,
            condition = CASE WHEN b.due > p_now THEN 'waiting' ELSE 'ready' END,
            due = CASE WHEN b.due > p_now THEN b.due END, worker = NULL, deaths = 0, burial = NULL
        FROM behind b WHERE b.seq IS NOT NULL AND h.ctid = b.head
        RETURNING h.queue, h.condition
    )
    SELECT (SELECT count(*) FROM moved), ARRAY(SELECT DISTINCT m.queue FROM moved m WHERE m.condition = 'ready'),
           ARRAY(SELECT b.at FROM behind b WHERE b.seq IS NULL)
    INTO v_moved, v_ready, v_bare;
    IF v_moved + cardinality(v_bare) <> cardinality(p_heads) THEN
        RAISE serialization_failure USING MESSAGE = 'the heads of lanes were not locked';
    END IF;
    IF cardinality(v_bare) > 0 THEN
        IF p_own THEN
            v_gone := goatherd.lane_vacate(p_app, p_heads, p_lanes, p_seqs, v_bare, p_now);
        END IF;
        IF v_gone IS NULL OR cardinality(v_gone) < cardinality(v_bare) THEN
            PERFORM goatherd.lane_rest(
                p_app, p_heads[n], p_lanes[n], p_seqs[n], p_left[n], p_now, p_own)
            FROM unnest(v_bare) AS n WHERE n <> ALL (coalesce(v_gone, '{}'));
        END IF;
    END IF;
    RETURN v_ready;
END
$$;

-- Forget those lanes of `p_these` in which there is no job, nor one on its way in. Gives which they were.
CREATE FUNCTION goatherd.lane_vacate(
    p_app text, p_heads tid[], p_lanes text[], p_seqs bigint[], p_these bigint[], p_now bigint
) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    v_free  bigint[];
    v_tails tid[];
    v_lasts bigint[];
    v_gone  bigint[];
BEGIN
    -- Whoever has the tail may be about to commit a job.
    SELECT array_agg(n), array_agg(t.ctid), array_agg(t.tail) INTO v_free, v_tails, v_lasts
    FROM unnest(p_these) AS n CROSS JOIN LATERAL (
        SELECT t.ctid, t.tail FROM goatherd.lane_tail t WHERE t.app = p_app AND t.lane = p_lanes[n]
        FOR UPDATE SKIP LOCKED
    ) t;
    -- Now that nobody has it, a second look tells for sure whether there is a job. A lane may come to life again only
    -- above its old numbers, which is so when the clock is past them.
    WITH bare AS MATERIALIZED (
        SELECT f.n, p_heads[f.n] AS head, f.tail, f.last FROM unnest(v_free, v_tails, v_lasts) AS f (n, tail, last)
        LEFT JOIN LATERAL (
            SELECT true AS found FROM goatherd.lane_item i
            WHERE i.app = p_app AND i.lane = p_lanes[f.n] AND i.seq > p_seqs[f.n] LIMIT 1
        ) i ON true
        WHERE i.found IS NULL AND f.last < p_now
    ), heads AS (
        DELETE FROM goatherd.lane_head h USING bare b WHERE h.ctid = b.head AND h.token < p_now RETURNING b.n, b.tail
    ), tails AS (
        DELETE FROM goatherd.lane_tail t USING heads h WHERE t.ctid = h.tail
    )
    SELECT array_agg(h.n) INTO v_gone FROM heads h;
    RETURN v_gone;
END
$$;

-- Keep a lane in which no job is seen: its numbers, and when it is looked at again.
CREATE FUNCTION goatherd.lane_rest(
    p_app text, p_head tid, p_lane text, p_seq bigint, p_left bigint, p_now bigint, p_own boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_last  bigint;
    v_found boolean;
BEGIN
    IF p_own THEN
        SELECT t.tail INTO v_last FROM goatherd.lane_tail t WHERE t.app = p_app AND t.lane = p_lane
        FOR UPDATE SKIP LOCKED;
        v_found := EXISTS (SELECT FROM goatherd.lane_item i WHERE i.app = p_app AND i.lane = p_lane AND i.seq > p_seq);
    END IF;
    UPDATE goatherd.lane_head h
    SET passed = h.passed + p_left, worker = NULL, deaths = 0, burial = NULL,
        condition = CASE WHEN v_last IS NULL OR v_found THEN 'drained' ELSE 'empty' END,
        since = CASE WHEN h.condition = 'drained' THEN h.since ELSE p_now END,
        due = CASE
            WHEN v_found OR NOT p_own THEN p_now
            WHEN v_last IS NOT NULL THEN greatest(v_last, h.token) + 1
            -- Soon, and less often the longer it takes.
            WHEN h.condition = 'drained' THEN p_now + least(greatest(p_now - h.since, 2000), 1000000)
            ELSE p_now + 2000
        END
    WHERE h.ctid = p_head;
END
$$;

-- Make the head of a lane a letter, and if so the jobs behind it too; then go on.
CREATE FUNCTION goatherd.lane_bury(
    p_app text, p_head tid, p_lane text, p_seq bigint, p_burial bytea, p_rest boolean, p_now bigint
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    v_id   text;
    v_left bigint;
BEGIN
    SELECT i.id INTO v_id FROM goatherd.lane_item i WHERE i.app = p_app AND i.lane = p_lane AND i.seq = p_seq;
    WITH gone AS (
        DELETE FROM goatherd.lane_item i
        WHERE i.app = p_app AND i.lane = p_lane AND i.seq >= p_seq AND (i.seq = p_seq OR p_rest)
        RETURNING i.*
    ), letters AS (
        INSERT INTO goatherd.lane_letter (app, lane, content, accepted, burial, behind)
        SELECT p_app, p_lane, g.content, greatest(g.accepted, g.due), p_burial, CASE WHEN g.seq > p_seq THEN v_id END
        FROM gone g ORDER BY g.seq
    )
    SELECT count(*) INTO v_left FROM gone;
    RETURN goatherd.lane_advance(p_app, ARRAY[p_head], ARRAY[p_lane], ARRAY[p_seq], ARRAY[v_left], p_now, true);
END
$$;
