-- How workers get units, and a whole exchange.

-- The last exchange of each worker, and what was answered, for one that is repeated.
CREATE TABLE goatherd.run_peer (
    app     text COLLATE "C" NOT NULL,
    worker  text COLLATE "C" NOT NULL,
    number  bigint  NOT NULL,
    seen    bigint  NOT NULL,
    answers boolean[],
    reasons text[],                       -- why units could not be claimed, NULL for those that were
    ready   boolean NOT NULL DEFAULT false,
    ended   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (worker, app)
) WITH (fillfactor = 50, toast_tuple_target = 8160);

-- Claim units; one row for each, in this order: the claim, or why there is none.
CREATE FUNCTION goatherd.run_claim(
    p_app text, p_worker text, p_number bigint, p_runs text[], p_steps text[], p_items integer[], p_lease bigint,
    p_now bigint
) RETURNS TABLE (
    reason text, pipeline text, token bigint, size integer, content bytea, phase text, failures integer, deaths integer,
    trouble bytea, trace text, priority integer, accepted bigint, created bigint, round bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_rows tid[];
BEGIN
    -- What is ready is not told of if its run has ended. Who ends a run at this moment does so either before, and has
    -- its units, or after us.
    v_rows := ARRAY(
        SELECT u.row FROM unnest(p_runs, p_steps, p_items) AS a (run, step, item) CROSS JOIN LATERAL (
            SELECT u.ctid AS row FROM goatherd.run_unit u
            WHERE u.run = a.run AND u.app = p_app AND u.step = a.step AND u.item = a.item AND (
                u.state = 'ready' AND u.due <= p_now AND coalesce(u.tell, 0) > 0
                OR u.state = 'running' AND u.lease <= p_now AND 'running' = (
                    SELECT r.state FROM goatherd.run r WHERE r.id = u.run AND r.app = u.app))
            FOR UPDATE SKIP LOCKED
        ) u
    );
    IF cardinality(v_rows) < cardinality(p_runs) THEN
        -- Somebody may do something with the others: that is short, and nobody waits long, for it may be one who waits
        -- for us. If they can be claimed after that, workers will be told.
        BEGIN
            PERFORM set_config('lock_timeout', '100ms', true);
            v_rows := ARRAY(
                SELECT u.row FROM (
                    SELECT * FROM unnest(p_runs, p_steps, p_items) AS a (run, step, item) ORDER BY a.run, a.step, a.item
                ) a CROSS JOIN LATERAL (
                    SELECT u.ctid AS row FROM goatherd.run_unit u
                    WHERE u.run = a.run AND u.app = p_app AND u.step = a.step AND u.item = a.item AND (
                        u.state = 'ready' AND u.due <= p_now AND coalesce(u.tell, 0) > 0
                        OR u.state = 'running' AND u.lease <= p_now AND 'running' = (
                            SELECT r.state FROM goatherd.run r WHERE r.id = u.run AND r.app = u.app))
                    FOR UPDATE
                ) u
            );
            PERFORM set_config('lock_timeout', '0', true);
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
    END IF;
    UPDATE goatherd.run_unit u
    SET state = 'running', tell = NULL, lease = p_now + p_lease, worker = p_worker, number = p_number, ended = NULL,
        started = coalesce(u.started, p_now), token = greatest(u.token + 1, p_now),
        deaths = u.deaths + CASE u.state WHEN 'running' THEN 1 ELSE 0 END,
        due = CASE u.state WHEN 'running' THEN p_now ELSE u.due END
    WHERE u.ctid = ANY (v_rows);
    RETURN QUERY SELECT * FROM goatherd.run_claimed(p_app, p_worker, p_number, p_runs, p_steps, p_items, NULL);
END
$$;

-- What a worker has got in an exchange, one row for each unit; `p_reasons` are those that it was told before.
CREATE FUNCTION goatherd.run_claimed(
    p_app text, p_worker text, p_number bigint, p_runs text[], p_steps text[], p_items integer[], p_reasons text[]
) RETURNS TABLE (
    reason text, pipeline text, token bigint, size integer, content bytea, phase text, failures integer, deaths integer,
    trouble bytea, trace text, priority integer, accepted bigint, created bigint, round bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT CASE
               WHEN a.reason IS NOT NULL THEN a.reason
               WHEN u.state = 'running' AND u.worker = p_worker AND u.number = p_number AND r.state = 'running'
                   THEN NULL
               WHEN r.state IS NULL OR u.state IS NULL AND h.state IS NULL THEN 'unknown'
               WHEN r.state <> 'running' OR coalesce(u.state, h.state) IN ('spread', 'done', 'skipped', 'failed')
                   THEN 'over'
               -- What the worker got in this very exchange, and has no longer, is not given to it once more.
               WHEN u.state = 'running' OR p_reasons IS NOT NULL THEN 'taken'
               ELSE 'early'
           END, r.pipeline, u.token, u.size, u.content, u.phase, u.failures, u.deaths, u.trouble, r.trace, r.priority,
           u.due, r.created, u.round
    FROM unnest(p_runs, p_steps, p_items, p_reasons) WITH ORDINALITY AS a (run, step, item, reason, at)
    LEFT JOIN LATERAL (
        SELECT r.* FROM goatherd.run r WHERE r.id = a.run AND r.app = p_app OFFSET 0
    ) r ON true
    LEFT JOIN LATERAL (
        SELECT u.* FROM goatherd.run_unit u
        WHERE u.run = a.run AND u.app = p_app AND u.step = a.step AND u.item = a.item OFFSET 0
    ) u ON true
    LEFT JOIN LATERAL (
        SELECT h.state FROM goatherd.run_unit h
        WHERE h.run = a.run AND h.app = p_app AND h.step = a.step AND h.item = -1 AND u.state IS NULL OFFSET 0
    ) h ON true
    ORDER BY a.at;
END
$$;

-- One exchange: the first `p_settled` of what is told are settlements, the rest is decided. The first row is about all
-- of it, with how far the steps are that moved; one row for each unit wanted follows. No row for one that comes late.
CREATE FUNCTION goatherd.run_exchange(
    p_app text, p_worker text, p_number bigint, p_settled integer, p_kinds text[], p_runs text[], p_steps text[],
    p_items integer[], p_tokens bigint[], p_results bytea[], p_troubles bytea[], p_failures integer[],
    p_delays bigint[], p_letters bytea[], p_at_once integer[], p_part_of integer[], p_part_items integer[],
    p_part_sizes integer[], p_parts bytea[], p_onward_runs text[], p_onward_steps text[], p_then text[],
    p_wanted_runs text[], p_wanted_steps text[], p_wanted_items integer[], p_lease bigint, p_now bigint
) RETURNS TABLE (
    answers boolean[], ready boolean, ended boolean, moved_runs text[], moved_steps text[], moved_states text[],
    moved_done integer[], moved_totals integer[],
    reason text, pipeline text, token bigint, size integer, content bytea, phase text, failures integer, deaths integer,
    trouble bytea, trace text, priority integer, accepted bigint, created bigint, round bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_now   bigint := goatherd.clock(p_now);
    v_peer  goatherd.run_peer;
    v_last  integer := coalesce(cardinality(p_kinds), 0);
    v_moved integer[];
    v_wholes boolean[];
    v_part  record;
BEGIN
    SELECT * INTO v_peer FROM goatherd.run_peer p WHERE p.worker = p_worker AND p.app = p_app FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO goatherd.run_peer AS p (app, worker, number, seen) VALUES (p_app, p_worker, p_number - 1, v_now)
        ON CONFLICT (worker, app) DO UPDATE SET seen = v_now RETURNING p.* INTO v_peer;
    END IF;
    IF v_peer.number > p_number THEN
        RETURN;
    END IF;
    IF v_peer.number = p_number THEN
        answers := v_peer.answers;
        ready := v_peer.ready;
        ended := v_peer.ended;
        RETURN NEXT;
        RETURN QUERY SELECT NULL::boolean[], NULL::boolean, NULL::boolean, NULL::text[], NULL::text[], NULL::text[],
                            NULL::integer[], NULL::integer[], c.*
        FROM goatherd.run_claimed(
            p_app, p_worker, p_number, p_wanted_runs, p_wanted_steps, p_wanted_items, v_peer.reasons) c;
        RETURN;
    END IF;
    v_peer.reasons := '{}';
    ready := false;
    ended := false;
    IF v_last > 0 THEN
        FOR v_part IN
            SELECT s.* FROM (VALUES (1, p_settled), (p_settled + 1, v_last)) AS n (first, last)
            CROSS JOIN LATERAL goatherd.run_settle(
                p_app, n.first, n.last, p_kinds, p_runs, p_steps, p_items, p_tokens, p_results, p_troubles, p_failures,
                p_delays, p_letters, p_at_once, p_part_of, p_part_items, p_part_sizes, p_parts, p_onward_runs,
                p_onward_steps, p_then, v_now) s
            WHERE n.first <= n.last
        LOOP
            answers := answers || v_part.answers;
            v_moved := v_moved || v_part.moved;
            v_wholes := v_wholes || v_part.wholes;
            ready := ready OR v_part.ready;
            ended := ended OR v_part.ended;
        END LOOP;
        SELECT array_agg(a.run), array_agg(a.step), array_agg(coalesce(u.state, a.state)),
               array_agg(coalesce(u.done, CASE a.state WHEN 'failed' THEN 0 ELSE 1 END)),
               array_agg(coalesce(u.total, 1))
        INTO moved_runs, moved_steps, moved_states, moved_done, moved_totals
        FROM (
            -- What is done as a whole is as it was said to be.
            SELECT DISTINCT a.run, a.step, CASE WHEN m.whole THEN k.state END AS state
            FROM unnest(p_runs, p_steps, p_kinds) WITH ORDINALITY AS a (run, step, kind, at)
            JOIN unnest(v_moved, v_wholes) AS m (at, whole) ON m.at = a.at
            JOIN (VALUES ('succeed', 'done'), ('arrived', 'done'), ('leave_out', 'skipped'), ('pass_over', 'skipped'),
                         ('fail', 'failed'), ('foresee', 'failed'), ('spread', NULL)) AS k (kind, state) USING (kind)
        ) a LEFT JOIN LATERAL (
            SELECT u.state, u.total - u.remaining AS done, u.total FROM goatherd.run_unit u
            WHERE u.run = a.run AND u.app = p_app AND u.step = a.step AND u.item = -1 AND a.state IS NULL OFFSET 0
        ) u ON true;
    END IF;
    RETURN NEXT;
    v_peer.answers := answers;
    v_peer.ready := ready;
    v_peer.ended := ended;
    answers := NULL;
    moved_runs := NULL;
    moved_steps := NULL;
    moved_states := NULL;
    moved_done := NULL;
    moved_totals := NULL;
    IF p_wanted_runs IS NOT NULL THEN
        FOR reason, pipeline, token, size, content, phase, failures, deaths, trouble, trace, priority, accepted, created,
            round
        IN SELECT * FROM goatherd.run_claim(
            p_app, p_worker, p_number, p_wanted_runs, p_wanted_steps, p_wanted_items, p_lease, v_now)
        LOOP
            v_peer.reasons := v_peer.reasons || reason;
            RETURN NEXT;
        END LOOP;
    END IF;
    UPDATE goatherd.run_peer p
    SET number = p_number, seen = v_now, answers = v_peer.answers, reasons = v_peer.reasons, ready = v_peer.ready,
        ended = v_peer.ended
    WHERE p.worker = p_worker AND p.app = p_app;
    IF p_number % 64 = 0 THEN
        DELETE FROM goatherd.run_peer p USING (
            SELECT o.worker FROM goatherd.run_peer o WHERE o.app = p_app AND o.seen <= v_now - 600000000 LIMIT 100
            FOR UPDATE SKIP LOCKED
        ) o WHERE p.worker = o.worker AND p.app = p_app;
    END IF;
END
$$;
