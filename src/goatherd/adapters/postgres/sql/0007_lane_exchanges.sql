-- A whole exchange: what a worker gives back, and what it gets instead.

-- Forget ids and peers whose time is over, some at a time.
CREATE FUNCTION goatherd.lane_forget(p_app text, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM goatherd.lane_name n USING (
        SELECT o.id FROM goatherd.lane_name o WHERE o.app = p_app AND o.until <= p_now ORDER BY o.until LIMIT 1000
        FOR UPDATE SKIP LOCKED
    ) o WHERE n.app = p_app AND n.id = o.id;
    DELETE FROM goatherd.lane_peer p USING (
        SELECT o.peer FROM goatherd.lane_peer o WHERE o.app = p_app AND o.seen <= p_now - 600000000 LIMIT 100
        FOR UPDATE SKIP LOCKED
    ) o WHERE p.app = p_app AND p.peer = o.peer;
END
$$;

-- One exchange. The first row is about all of it; one row for each claim follows.
CREATE FUNCTION goatherd.lane_exchange(
    p_app text, p_worker text, p_number bigint, p_kinds text[], p_lanes text[], p_tokens bigint[], p_seqs bigint[],
    p_contents bytea[], p_delays bigint[], p_burials bytea[], p_policies text[], p_queues text[], p_wanted integer,
    p_lease bigint, p_now bigint
) RETURNS TABLE (
    settled boolean[], rings text[], next_due bigint, letters boolean,
    lane text, token bigint, seq bigint, id text, queue text, content bytea, on_exhausted text, accepted bigint,
    deaths integer
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    v_now    bigint := goatherd.clock(p_now);
    v_peer   goatherd.lane_peer := goatherd.lane_greet(p_app, 'worker ' || p_worker, v_now);
    v_rings  text[] := '{}';
    v_seqs   bigint[] := '{}';
    v_deaths integer[] := '{}';
    v_more   boolean := false;
    -- What leaves a lane leaves traces in the indexes until the server clears them away. So that not every exchange
    -- runs over all of them, one that finds enough begins where the last one found something.
    v_thorough boolean := p_now IS NOT NULL OR v_now >= v_peer.looked + 200000 OR 'release' = ANY (p_kinds);
    v_those  record;
BEGIN
    IF v_peer.number > p_number THEN
        -- It was overtaken, and nobody waits for its answer.
        RETURN;
    ELSIF v_peer.number = p_number THEN
        RETURN QUERY SELECT * FROM goatherd.lane_exchanged(p_app, v_peer, v_now);
        RETURN;
    END IF;
    v_peer.settled := '{}';
    v_peer.lanes := '{}';
    v_peer.tokens := '{}';
    IF p_lanes IS NOT NULL THEN
        SELECT s.settled, s.rings INTO v_peer.settled, v_rings FROM goatherd.lane_settle(
            p_app, p_kinds, p_lanes, p_tokens, p_seqs, p_contents, p_delays, p_burials, p_policies, v_now) s;
    END IF;
    LOOP
        IF v_thorough THEN
            v_peer.looked := v_now;
            v_peer.floor := 0;
            SELECT v_rings || l.rings, l.more INTO v_rings, v_more FROM goatherd.lane_look(p_app, v_now, p_now) l;
        END IF;
        SELECT * INTO v_those FROM goatherd.lane_claim(
            p_app, p_worker, p_queues, p_number, p_wanted - cardinality(v_peer.lanes), v_peer.floor, p_lease, v_now);
        v_peer.lanes := v_peer.lanes || v_those.lanes;
        v_peer.tokens := v_peer.tokens || v_those.tokens;
        v_seqs := v_seqs || v_those.seqs;
        v_deaths := v_deaths || v_those.deaths;
        IF v_thorough THEN
            v_peer.floor := coalesce(v_those.lowest, 0);
        END IF;
        EXIT WHEN v_thorough OR cardinality(v_peer.lanes) >= p_wanted AND p_wanted > 0;
        v_thorough := true;
    END LOOP;
    UPDATE goatherd.lane_peer p
    SET number = p_number, seen = v_now, settled = v_peer.settled, lanes = v_peer.lanes, tokens = v_peer.tokens,
        looked = v_peer.looked, floor = v_peer.floor
    WHERE p.app = p_app AND p.peer = v_peer.peer;
    IF p_number % 64 = 0 THEN
        PERFORM goatherd.lane_forget(p_app, v_now);
    END IF;

    settled := v_peer.settled;
    next_due := CASE WHEN v_thorough THEN goatherd.lane_next_due(p_app, v_now, v_more)
                     ELSE v_peer.looked + 200000 - v_now END;
    rings := ARRAY(
        SELECT r.queue FROM (SELECT DISTINCT u.queue FROM unnest(v_rings) AS u (queue)) r CROSS JOIN LATERAL (
            SELECT FROM goatherd.lane_head h WHERE h.app = p_app AND h.queue = r.queue AND h.condition = 'ready'
              AND h.turn >= v_peer.floor LIMIT 1
        ) h
    );
    letters := EXISTS (SELECT FROM goatherd.lane_letter l WHERE l.app = p_app);
    RETURN NEXT;
    RETURN QUERY
    SELECT NULL::boolean[], NULL::text[], NULL::bigint, NULL::boolean, c.lane, c.token, c.seq, i.id, i.queue, i.content,
           i.on_exhausted, greatest(i.accepted, i.due), c.deaths
    FROM unnest(v_peer.lanes, v_peer.tokens, v_seqs, v_deaths) WITH ORDINALITY AS c (lane, token, seq, deaths, at)
    CROSS JOIN LATERAL (
        SELECT i.* FROM goatherd.lane_item i WHERE i.app = p_app AND i.lane = c.lane AND i.seq = c.seq OFFSET 0
    ) i
    ORDER BY c.at;
END
$$;

-- The answer to an exchange once more, as far as the worker has still what it got.
CREATE FUNCTION goatherd.lane_exchanged(p_app text, p_peer goatherd.lane_peer, p_now bigint) RETURNS TABLE (
    settled boolean[], rings text[], next_due bigint, letters boolean,
    lane text, token bigint, seq bigint, id text, queue text, content bytea, on_exhausted text, accepted bigint,
    deaths integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    settled := p_peer.settled;
    rings := '{}';
    next_due := goatherd.lane_next_due(p_app, p_now, true);
    letters := EXISTS (SELECT FROM goatherd.lane_letter l WHERE l.app = p_app);
    RETURN NEXT;
    RETURN QUERY
    SELECT NULL::boolean[], NULL::text[], NULL::bigint, NULL::boolean, c.lane, c.token, h.seq, i.id, i.queue, i.content,
           i.on_exhausted, greatest(i.accepted, i.due), h.deaths
    FROM unnest(p_peer.lanes, p_peer.tokens) WITH ORDINALITY AS c (lane, token, at)
    CROSS JOIN LATERAL (
        SELECT h.seq, h.deaths FROM goatherd.lane_head h
        WHERE h.app = p_app AND h.lane = c.lane AND h.token = c.token AND h.condition = 'running' OFFSET 0
    ) h
    CROSS JOIN LATERAL (
        SELECT i.* FROM goatherd.lane_item i WHERE i.app = p_app AND i.lane = c.lane AND i.seq = h.seq OFFSET 0
    ) i
    ORDER BY c.at;
END
$$;
