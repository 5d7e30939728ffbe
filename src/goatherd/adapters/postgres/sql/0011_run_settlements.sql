-- What workers say of the units that they had, and what is decided about those that nobody has.

-- Settle what a worker had, or decide about what nobody has; all the runs are locked. Parts are the items of a parcel
-- that is separated, or the parcels of a head that is spread, by the number of theirs among the others. Of all that is
-- told, those from `p_first` to `p_last` are meant. Tells of each whether it was as it should be, whether a unit can be
-- taken now, and whether a run has ended; `moved` are the numbers of those that changed something, and `wholes` tells
-- which of these are steps as a whole.
CREATE FUNCTION goatherd.run_settle(
    p_app text, p_first integer, p_last integer, p_kinds text[], p_runs text[], p_steps text[], p_items integer[],
    p_tokens bigint[], p_results bytea[], p_troubles bytea[], p_failures integer[], p_delays bigint[],
    p_letters bytea[], p_at_once integer[], p_part_of integer[], p_part_items integer[], p_part_sizes integer[],
    p_parts bytea[], p_onward_runs text[], p_onward_steps text[], p_then text[], p_now bigint,
    OUT answers boolean[], OUT moved integer[], OUT wholes boolean[], OUT ready boolean, OUT ended boolean
) LANGUAGE plpgsql AS $$
DECLARE
    v_locked record;
    v_those  record;
BEGIN
    SELECT * INTO v_locked FROM goatherd.run_lock(p_app, p_runs);
    -- Each as it stands, locked: somebody may be about to claim it.
    WITH own AS MATERIALIZED (
        SELECT a.*, u.*, r.state AS run_state FROM unnest(p_kinds, p_runs, p_steps, p_items, p_tokens)
            WITH ORDINALITY AS a (kind, run, step, item, shown, at)
        LEFT JOIN LATERAL (
            SELECT u.ctid AS row, u.state, u.round, u.token, u.settled, u.size, u.phase FROM goatherd.run_unit u
            WHERE u.run = a.run AND u.app = p_app AND u.step = a.step AND u.item = a.item FOR UPDATE
        ) u ON true
        LEFT JOIN unnest(v_locked.runs, v_locked.states) AS r (id, state) ON r.id = a.run
        WHERE a.at BETWEEN p_first AND p_last
    ), judged AS MATERIALIZED (
        SELECT o.*, coalesce(CASE o.kind
            WHEN 'spread' THEN o.state = 'ready' AND o.run_state = 'running' AND o.size = 0 AND o.phase = 'do'
                AND coalesce(o.shown, o.round) = o.round
            WHEN 'pass_over' THEN o.state = 'ready' AND o.run_state = 'running'
                AND coalesce(o.shown, o.round) = o.round
            WHEN 'foresee' THEN o.state = 'ready' AND o.run_state = 'running'
                AND coalesce(o.shown, o.round) = o.round
            WHEN 'arrived' THEN o.state IN ('ready', 'running')
            ELSE o.state = 'running' AND o.token = o.shown
        END, false) AS acts FROM own o
    )
    -- What was settled under this very token is so, whoever says it again.
    SELECT array_agg((j.acts OR coalesce(j.settled = j.shown, false))
               AND NOT (j.kind = 'succeed' AND j.run_state = 'cancelled') ORDER BY j.at) AS answers,
           coalesce(array_agg(j.at ORDER BY j.at) FILTER (WHERE j.acts), '{}') AS ats,
           array_agg(j.row ORDER BY j.at) FILTER (WHERE j.acts) AS rows,
           array_agg(j.run ORDER BY j.at) FILTER (WHERE j.acts) AS runs,
           array_agg(j.step ORDER BY j.at) FILTER (WHERE j.acts) AS steps,
           -- What counts for the step, or for its head.
           array_agg(j.size = 0 ORDER BY j.at) FILTER (WHERE j.acts) AS wholes,
           array_agg(CASE WHEN j.kind IN ('succeed', 'leave_out', 'arrived') THEN j.size ELSE 0 END ORDER BY j.at)
               FILTER (WHERE j.acts) AS done,
           array_agg(CASE WHEN j.phase = 'do' AND j.kind NOT IN ('again', 'let_go') THEN 1 ELSE 0 END ORDER BY j.at)
               FILTER (WHERE j.acts) AS freed,
           array_agg(j.kind ORDER BY j.at) FILTER (WHERE j.acts) AS kinds
    INTO v_those FROM judged j;
    answers := v_those.answers;
    moved := v_those.ats;
    wholes := v_those.wholes;
    ready := false;
    ended := false;
    IF cardinality(moved) = 0 THEN
        RETURN;
    END IF;
    UPDATE goatherd.run_unit u
    SET state = CASE WHEN a.kind IN ('succeed', 'arrived') THEN 'done' ELSE 'skipped' END,
        result = CASE WHEN a.kind IN ('succeed', 'arrived') THEN p_results[a.at] WHEN u.item = -1 THEN 'null' END,
        trouble = coalesce(p_troubles[a.at], u.trouble), tell = NULL, lease = NULL, ended = p_now, stuck = NULL,
        -- Not where the result came from elsewhere: whoever has the unit is told that it is not his any more.
        settled = CASE WHEN a.kind IN ('succeed', 'leave_out') THEN u.token ELSE u.settled END
    FROM unnest(v_those.rows, v_those.kinds, v_those.ats) AS a (row, kind, at)
    WHERE u.ctid = a.row AND a.kind IN ('succeed', 'leave_out', 'arrived', 'pass_over');
    IF NOT v_those.kinds <@ ARRAY['succeed', 'leave_out', 'arrived', 'pass_over'] THEN
        SELECT t.ready, t.ended INTO ready, ended FROM goatherd.run_turn_over(
            p_app, v_those.kinds, v_those.rows, v_those.runs, v_those.steps, v_those.ats, p_troubles, p_failures,
            p_delays, p_letters, p_at_once, p_part_of, p_part_items, p_part_sizes, p_parts, p_now) t;
    END IF;
    SELECT array_agg(m.run) AS runs, array_agg(m.step) AS steps, array_agg(m.whole) AS wholes,
           array_agg(m.done) AS done, array_agg(m.freed) AS freed
    INTO v_those
    FROM unnest(v_those.runs, v_those.steps, v_those.wholes, v_those.done, v_those.freed, v_those.kinds, v_those.ats)
        AS m (run, step, whole, done, freed, kind, at)
    WHERE CASE
        WHEN NOT m.whole THEN m.freed > 0 OR m.done > 0
        WHEN m.kind = 'spread' THEN m.at <> ALL (coalesce(p_part_of, '{}'))
        ELSE m.kind IN ('succeed', 'leave_out', 'arrived', 'pass_over')
    END;
    IF v_those.runs IS NOT NULL THEN
        SELECT run_settle.ready OR a.ready, run_settle.ended OR a.ended INTO ready, ended FROM goatherd.run_advance(
            p_app, v_those.runs, v_those.steps, v_those.wholes, v_those.done, v_those.freed, p_onward_runs,
            p_onward_steps, p_then, p_now) a;
    END IF;
END
$$;

-- Settle or decide what is not done by that. `p_ats` are the numbers of these among the others.
CREATE FUNCTION goatherd.run_turn_over(
    p_app text, p_kinds text[], p_rows tid[], p_runs text[], p_steps text[], p_ats bigint[], p_troubles bytea[],
    p_failures integer[], p_delays bigint[], p_letters bytea[], p_at_once integer[], p_part_of integer[],
    p_part_items integer[], p_part_sizes integer[], p_parts bytea[], p_now bigint, OUT ready boolean, OUT ended boolean
) LANGUAGE plpgsql AS $$
DECLARE
    v_failed record;
BEGIN
    WITH parts AS MATERIALIZED (
        SELECT * FROM unnest(p_part_of, p_part_items, p_part_sizes, p_parts) AS p (of, item, size, content)
    ), those AS MATERIALIZED (
        SELECT a.*, r.live, r.place, h.at_once, p_at_once[a.at] AS wanted, p.total, p.count
        FROM unnest(p_rows, p_kinds, p_runs, p_steps, p_ats) AS a (row, kind, run, step, at)
        CROSS JOIN LATERAL (
            SELECT r.state = 'running' AS live, r.place FROM goatherd.run r
            WHERE r.id = a.run AND r.app = p_app OFFSET 0
        ) r
        LEFT JOIN LATERAL (
            SELECT u.at_once FROM goatherd.run_unit u
            WHERE u.run = a.run AND u.app = p_app AND u.step = a.step AND u.item = -1 OFFSET 0
        ) h ON true
        LEFT JOIN (
            SELECT p.of, sum(p.size)::integer AS total, count(*)::integer AS count FROM parts p GROUP BY p.of
        ) p ON p.of = a.at
        WHERE a.kind NOT IN ('succeed', 'leave_out', 'arrived', 'pass_over')
    ), changed AS (
        UPDATE goatherd.run_unit u
        SET state = CASE
                WHEN a.kind IN ('fail', 'foresee') THEN 'failed'
                WHEN a.kind = 'spread' THEN CASE WHEN a.count > 0 THEN 'spread' ELSE 'done' END
                WHEN a.kind = 'separate' AND a.at_once IS NOT NULL THEN 'held'
                ELSE 'ready'
            END,
            phase = CASE a.kind WHEN 'stand_in' THEN 'compensate' ELSE u.phase END,
            due = CASE a.kind WHEN 'again' THEN p_now + p_delays[a.at] WHEN 'let_go' THEN u.due ELSE p_now END,
            tell = CASE
                WHEN NOT a.live OR a.kind IN ('fail', 'foresee', 'spread') THEN NULL
                WHEN a.kind = 'separate' AND a.at_once IS NOT NULL THEN NULL
                WHEN a.kind = 'again' THEN p_now + p_delays[a.at]
                ELSE p_now
            END,
            tellings = 0, lease = NULL,
            settled = CASE u.state WHEN 'running' THEN u.token ELSE u.settled END,
            failures = CASE
                WHEN a.kind IN ('stand_in', 'separate') THEN 0 ELSE coalesce(p_failures[a.at], u.failures) END,
            forgone = CASE a.kind WHEN 'stand_in' THEN p_failures[a.at] ELSE u.forgone END,
            deaths = CASE WHEN a.kind IN ('again', 'stand_in', 'separate') THEN 0 ELSE u.deaths END,
            trouble = coalesce(p_troubles[a.at], u.trouble),
            stuck = CASE WHEN a.kind IN ('fail', 'foresee', 'stand_in') THEN a.place ELSE u.stuck END,
            size = CASE a.kind WHEN 'separate' THEN 1 ELSE u.size END,
            content = CASE a.kind WHEN 'separate'
                THEN (SELECT p.content FROM parts p WHERE p.of = a.at AND p.item = u.item) ELSE u.content END,
            started = CASE a.kind WHEN 'spread' THEN p_now ELSE u.started END,
            ended = CASE WHEN a.kind IN ('fail', 'foresee') OR a.kind = 'spread' AND a.count IS NULL THEN p_now END,
            total = CASE a.kind WHEN 'spread' THEN coalesce(a.total, 0) ELSE u.total END,
            remaining = CASE a.kind WHEN 'spread' THEN coalesce(a.total, 0) ELSE u.remaining END,
            at_once = CASE a.kind WHEN 'spread' THEN a.wanted ELSE u.at_once END,
            busy = CASE a.kind WHEN 'spread' THEN least(a.wanted, a.count) ELSE u.busy END
        FROM those a WHERE u.ctid = a.row
        RETURNING a.at, a.kind, a.live, u.run, u.step, u.item, u.pipeline, u.place, u.round, u.token, u.tell,
                  u.trouble, coalesce(u.at_once, a.at_once) AS at_once
    ), parted AS MATERIALIZED (
        -- Of a parcel that is separated, the first item has its row; slots for the others are looked for later.
        SELECT c.*, p.item AS first, p.size, p.content, c.at_once IS NULL OR c.kind = 'spread'
               AND row_number() OVER (PARTITION BY p.of ORDER BY p.item) <= c.at_once AS free
        FROM changed c JOIN parts p ON p.of = c.at WHERE p.item <> c.item
    ), more AS (
        INSERT INTO goatherd.run_unit
            (app, run, step, item, pipeline, place, state, size, round, token, settled, due, tell, trouble, content)
        SELECT p_app, p.run, p.step, p.first, p.pipeline, p.place, CASE WHEN p.free THEN 'ready' ELSE 'held' END,
               p.size, p.round, p.token, CASE p.kind WHEN 'separate' THEN p.token ELSE 0 END, p_now,
               CASE WHEN p.free AND p.live THEN p_now END, CASE p.kind WHEN 'separate' THEN p.trouble END, p.content
        FROM parted p RETURNING tell
    )
    SELECT EXISTS (SELECT FROM changed c WHERE c.tell <= p_now) OR EXISTS (SELECT FROM more m WHERE m.tell <= p_now)
    INTO ready;
    SELECT array_agg(a.run) AS runs, array_agg(a.step) AS steps, array_agg(p_troubles[a.at]) AS troubles
    INTO v_failed FROM unnest(p_kinds, p_runs, p_steps, p_ats) AS a (kind, run, step, at)
    WHERE a.kind IN ('fail', 'foresee');
    ended := v_failed.runs IS NOT NULL;
    IF ended THEN
        INSERT INTO goatherd.run_letter (app, content) SELECT p_app, l.content
        FROM unnest(p_letters) WITH ORDINALITY AS l (content, at) WHERE l.at = ANY (p_ats) AND l.content IS NOT NULL
        ORDER BY l.at;
        PERFORM goatherd.run_end(p_app, v_failed.runs, 'failed', v_failed.steps, v_failed.troubles, p_now);
    END IF;
END
$$;
