-- What operators do to lanes, and what a user's own transaction does.

-- Say, in a transaction of the user's own, that a job is done. 'done'; or 'applied' if it was done before; or 'newer'
-- if somebody else has the lane, or the lease ran out.
CREATE FUNCTION goatherd.lane_commit(p_app text, p_lane text, p_token bigint, p_seq bigint, p_now bigint DEFAULT NULL)
RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_head tid;
BEGIN
    SELECT h.ctid INTO v_head FROM goatherd.lane_head h
    WHERE h.app = p_app AND h.lane = p_lane AND h.token = p_token AND h.seq = p_seq AND h.condition = 'running'
    FOR UPDATE;
    IF v_head IS NOT NULL THEN
        DELETE FROM goatherd.lane_item i WHERE i.app = p_app AND i.lane = p_lane AND i.seq = p_seq;
        PERFORM goatherd.lane_advance(
            p_app, ARRAY[v_head], ARRAY[p_lane], ARRAY[p_seq], ARRAY[1::bigint], goatherd.clock(p_now), false);
        RETURN 'done';
    ELSIF EXISTS (SELECT FROM goatherd.lane_item i WHERE i.app = p_app AND i.lane = p_lane AND i.seq = p_seq) THEN
        RETURN 'newer';
    END IF;
    RETURN 'applied';
END
$$;

-- Let the head, which is held or waits, be tried now. Gives its queue; NULL if it is neither, or is another job than
-- that of `p_seq`.
CREATE FUNCTION goatherd.lane_retry(p_app text, p_lane text, p_content bytea, p_seq bigint, p_now bigint) RETURNS text
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_queue text;
    v_seq   bigint;
BEGIN
    UPDATE goatherd.lane_head h
    SET condition = 'ready', turn = nextval('goatherd.lane_turn'), since = goatherd.clock(p_now), due = NULL,
        deaths = 0, burial = NULL
    WHERE h.app = p_app AND h.lane = p_lane AND h.condition IN ('held', 'waiting')
      AND (p_seq IS NULL OR h.seq = p_seq)
    RETURNING h.queue, h.seq INTO v_queue, v_seq;
    IF v_queue IS NOT NULL AND p_content IS NOT NULL THEN
        UPDATE goatherd.lane_item i SET content = p_content WHERE i.app = p_app AND i.lane = p_lane AND i.seq = v_seq;
    END IF;
    RETURN v_queue;
END
$$;

-- Make the head, which is held or waits, a letter. Gives the queues in which a lane is ready now; NULL in the same
-- cases.
CREATE FUNCTION goatherd.lane_skip(p_app text, p_lane text, p_burial bytea, p_seq bigint, p_now bigint) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    v_head tid;
    v_seq  bigint;
BEGIN
    SELECT h.ctid, h.seq INTO v_head, v_seq FROM goatherd.lane_head h
    WHERE h.app = p_app AND h.lane = p_lane AND h.condition IN ('held', 'waiting')
      AND (p_seq IS NULL OR h.seq = p_seq)
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    RETURN goatherd.lane_bury(p_app, v_head, p_lane, v_seq, p_burial, false, goatherd.clock(p_now));
END
$$;

-- Take it from the worker that has it. Gives its queue; NULL if nobody has it.
CREATE FUNCTION goatherd.lane_unblock(p_app text, p_lane text, p_now bigint) RETURNS text
LANGUAGE sql AS $$
    UPDATE goatherd.lane_head h
    SET condition = 'ready', turn = nextval('goatherd.lane_turn'), since = goatherd.clock(p_now), due = NULL,
        worker = NULL
    WHERE h.app = p_app AND h.lane = p_lane AND h.condition = 'running'
    RETURNING h.queue
$$;
