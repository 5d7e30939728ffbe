-- Runs of pipelines: their units of work, who has each, what is done, and letters of those that failed. Times are
-- microseconds since the epoch.
--
-- Whoever settles something of a run locks the run first, and of several runs in the order of their ids: so two never
-- count down the same join at once, nor wait for each other. Who takes, claims or keeps units locks only those.

CREATE TABLE goatherd.run (
    app      text COLLATE "C" NOT NULL,
    id       text COLLATE "C" NOT NULL,
    pipeline text COLLATE "C" NOT NULL,
    state    text COLLATE "C" NOT NULL DEFAULT 'running',
    input    bytea   NOT NULL,
    trace    text    NOT NULL,
    priority integer NOT NULL,
    place    bigint  NOT NULL,               -- greater than those of all that began before it
    call     text    NOT NULL,               -- the one that began it, in case that it is repeated
    created  bigint  NOT NULL,
    ended    bigint,                         -- when it ended last, perhaps to be taken up again
    told     boolean NOT NULL DEFAULT false, -- whether those who watch it know of that end
    step     text    NOT NULL DEFAULT '',    -- the one that failed, and why; or the last
    trouble  bytea,
    PRIMARY KEY (id, app)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

-- A server that believes a table to be empty thinks one index as good as another. So that it has no choice, none begins
-- with the app alone, and what asks for rows by their ids does not say at the same time what other indexes are about.
CREATE INDEX run_state  ON goatherd.run (state, app, place);
CREATE INDEX run_untold ON goatherd.run (app, ended) WHERE state <> 'running' AND NOT told;
CREATE INDEX run_told   ON goatherd.run (app, ended) WHERE state <> 'running' AND told;

CREATE SEQUENCE goatherd.run_place;

-- A step as a whole has the item -1; as the head of parcels it counts them.
CREATE TABLE goatherd.run_unit (
    app       text COLLATE "C" NOT NULL,
    run       text COLLATE "C" NOT NULL,
    step      text COLLATE "C" NOT NULL,
    item      integer NOT NULL,
    pipeline  text COLLATE "C" NOT NULL,
    place     integer NOT NULL,               -- of its step in the plan
    state     text COLLATE "C" NOT NULL,
    phase     text    NOT NULL DEFAULT 'do',
    size      integer NOT NULL DEFAULT 0,
    missing   integer NOT NULL DEFAULT 0,     -- steps before it that are not done
    round     bigint  NOT NULL,               -- the token that it began with, or began again
    token     bigint  NOT NULL,               -- of the last one who had it
    settled   bigint  NOT NULL DEFAULT 0,     -- the token under which it was settled last
    due       bigint  NOT NULL,               -- when it became ready, or will be
    tell      bigint,                         -- when workers are told of it; only while it is ready and its run goes on
    tellings  integer NOT NULL DEFAULT 0,
    lease     bigint,                         -- until when somebody has it
    worker    text    NOT NULL DEFAULT '',    -- who had it last, and the number of the exchange in which he got it
    number    bigint  NOT NULL DEFAULT 0,
    stuck     bigint,                         -- the place of its run, while it has failed or waits for a stand-in
    failures  integer NOT NULL DEFAULT 0,
    forgone   integer NOT NULL DEFAULT 0,     -- failed attempts before somebody was to stand in
    deaths    integer NOT NULL DEFAULT 0,
    started   bigint,
    ended     bigint,
    total     integer,                        -- items of a head, and those that are not done
    remaining integer,
    at_once   integer,
    busy      integer,                        -- parcels that count against it
    trouble   bytea,
    content   bytea   NOT NULL DEFAULT '',
    result    bytea,
    PRIMARY KEY (run, app, step, item)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

CREATE INDEX run_unit_tell  ON goatherd.run_unit (app, pipeline, tell)   WHERE tell IS NOT NULL;
CREATE INDEX run_unit_lease ON goatherd.run_unit (app, lease)            WHERE lease IS NOT NULL;
CREATE INDEX run_unit_held  ON goatherd.run_unit (run, app, step, item)  WHERE state = 'held';
CREATE INDEX run_unit_stuck ON goatherd.run_unit (app, stuck, place, item) WHERE stuck IS NOT NULL;

-- What failed units leave for the dead letters.
CREATE TABLE goatherd.run_letter (
    app     text COLLATE "C" NOT NULL,
    place   bigint GENERATED ALWAYS AS IDENTITY,
    id      text   NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', ''),
    content bytea  NOT NULL,
    PRIMARY KEY (app, place),
    UNIQUE (app, id)
);

-- As with lanes, rows are found one by one through LATERAL and changed where they were found (ctid). Whoever calls what
-- follows has told the server not to read whole tables, and to keep its plans.

-- Lock runs, in the order of their ids; gives those that there are, and how they stand.
CREATE FUNCTION goatherd.run_lock(p_app text, p_runs text[], OUT runs text[], OUT states text[]) LANGUAGE plpgsql AS $$
BEGIN
    SELECT array_agg(o.id), array_agg(r.state) INTO runs, states
    FROM (SELECT DISTINCT u.id FROM unnest(p_runs) AS u (id) ORDER BY u.id) o
    CROSS JOIN LATERAL (SELECT r.state FROM goatherd.run r WHERE r.id = o.id AND r.app = p_app FOR UPDATE) r;
END
$$;

-- These runs, which are locked, have ended, unless they had; nothing of them is taken any more. Tells whether one had
-- not.
CREATE FUNCTION goatherd.run_end(
    p_app text, p_runs text[], p_state text, p_steps text[], p_troubles bytea[], p_now bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_ended text[];
BEGIN
    WITH those AS MATERIALIZED (
        SELECT DISTINCT ON (e.run) r.row, e.* FROM unnest(p_runs, p_steps, p_troubles)
            WITH ORDINALITY AS e (run, step, trouble, at)
        CROSS JOIN LATERAL (
            SELECT r.ctid AS row, r.state FROM goatherd.run r WHERE r.id = e.run AND r.app = p_app OFFSET 0
        ) r WHERE r.state = 'running' ORDER BY e.run, e.at
    ), ended AS (
        UPDATE goatherd.run r SET state = p_state, ended = greatest(p_now, r.ended + 1), told = false,
            step = coalesce(e.step, ''), trouble = e.trouble
        FROM those e WHERE r.ctid = e.row RETURNING r.id
    )
    SELECT array_agg(e.id) INTO v_ended FROM ended e;
    IF v_ended IS NULL THEN
        RETURN false;
    ELSIF p_state <> 'done' THEN
        -- Not where they were found: those who are told of units do not lock runs, and may be changing them.
        UPDATE goatherd.run_unit u SET tell = NULL
        WHERE u.run = ANY (v_ended) AND u.app = p_app AND u.state = 'ready';
    END IF;
    RETURN true;
END
$$;

-- Count down heads of which items are done or slots are free, and go on with what waits for steps that are done.
-- `p_wholes` are steps that are done as a whole; `p_then` is NULL where the run is done with the step. Tells whether a
-- unit can be taken now, and whether a run has ended.
CREATE FUNCTION goatherd.run_advance(
    p_app text, p_runs text[], p_steps text[], p_wholes boolean[], p_done integer[], p_freed integer[],
    p_onward_runs text[], p_onward_steps text[], p_then text[], p_now bigint, OUT ready boolean, OUT ended boolean
) LANGUAGE plpgsql AS $$
DECLARE
    v_runs  text[];
    v_steps text[];
    v_last  text[];
    v_with  text[];
BEGIN
    ready := false;
    ended := false;
    IF true = ALL (p_wholes) THEN
        v_runs := p_runs;
        v_steps := p_steps;
    ELSE
        WITH heads AS MATERIALIZED (
            SELECT m.run, m.step, m.done, m.freed, h.*, r.live
            FROM (
                SELECT n.run, n.step, sum(n.done)::integer AS done, sum(n.freed)::integer AS freed
                FROM unnest(p_runs, p_steps, p_wholes, p_done, p_freed) AS n (run, step, whole, done, freed)
                WHERE NOT n.whole GROUP BY n.run, n.step
            ) m CROSS JOIN LATERAL (
                SELECT u.ctid AS row, u.at_once - u.busy AS free FROM goatherd.run_unit u
                WHERE u.run = m.run AND u.app = p_app AND u.step = m.step AND u.item = -1 OFFSET 0
            ) h CROSS JOIN LATERAL (
                SELECT r.state = 'running' AS live FROM goatherd.run r WHERE r.id = m.run AND r.app = p_app OFFSET 0
            ) r
        ), next AS MATERIALIZED (
            SELECT h.row AS head, h.live, u.row FROM heads h CROSS JOIN LATERAL (
                SELECT u.ctid AS row FROM goatherd.run_unit u
                WHERE u.run = h.run AND u.app = p_app AND u.step = h.step AND u.state = 'held'
                ORDER BY u.item LIMIT greatest(h.free + h.freed, 0)
            ) u WHERE h.free + h.freed > 0
        ), begun AS (
            UPDATE goatherd.run_unit u
            SET state = 'ready', due = p_now, tell = CASE WHEN n.live THEN p_now END, tellings = 0
            FROM next n WHERE u.ctid = n.row RETURNING n.live
        ), counted AS (
            UPDATE goatherd.run_unit u
            SET remaining = u.remaining - h.done,
                busy = u.busy - h.freed + (SELECT count(*) FROM next n WHERE n.head = h.row),
                state = CASE u.remaining WHEN h.done THEN 'done' ELSE u.state END,
                ended = CASE u.remaining WHEN h.done THEN p_now END
            FROM heads h WHERE u.ctid = h.row RETURNING u.run, u.step, u.remaining
        ), over AS (
            SELECT c.run, c.step FROM counted c WHERE c.remaining = 0
            UNION ALL
            SELECT n.run, n.step FROM unnest(p_runs, p_steps, p_wholes) AS n (run, step, whole) WHERE n.whole
        )
        SELECT EXISTS (SELECT FROM begun b WHERE b.live), array_agg(o.run), array_agg(o.step)
        INTO ready, v_runs, v_steps FROM over o;
    END IF;
    IF v_runs IS NULL THEN
        RETURN;
    END IF;
    WITH onward AS MATERIALIZED (
        SELECT o.run, n.step, o.step AS before FROM unnest(v_runs, v_steps) AS o (run, step)
        JOIN unnest(p_onward_runs, p_onward_steps, p_then) AS n (run, before, step)
        ON n.run = o.run AND n.before = o.step
    ), next AS MATERIALIZED (
        SELECT u.row, o.done, r.live FROM (
            SELECT o.run, o.step, count(*) AS done FROM onward o WHERE o.step IS NOT NULL GROUP BY o.run, o.step
        ) o CROSS JOIN LATERAL (
            SELECT u.ctid AS row FROM goatherd.run_unit u
            WHERE u.run = o.run AND u.app = p_app AND u.step = o.step AND u.item = -1 AND u.state = 'waiting' OFFSET 0
        ) u CROSS JOIN LATERAL (
            SELECT r.state = 'running' AS live FROM goatherd.run r WHERE r.id = o.run AND r.app = p_app OFFSET 0
        ) r
    ), moved AS (
        UPDATE goatherd.run_unit u
        SET missing = u.missing - n.done, state = CASE WHEN u.missing <= n.done THEN 'ready' ELSE u.state END,
            due = p_now, tell = CASE WHEN n.live AND u.missing <= n.done THEN p_now END, tellings = 0
        FROM next n WHERE u.ctid = n.row RETURNING u.tell
    )
    SELECT ready OR EXISTS (SELECT FROM moved m WHERE m.tell IS NOT NULL),
           (SELECT array_agg(o.run) FROM onward o WHERE o.step IS NULL),
           (SELECT array_agg(o.before) FROM onward o WHERE o.step IS NULL)
    INTO ready, v_last, v_with;
    IF v_last IS NOT NULL THEN
        ended := goatherd.run_end(p_app, v_last, 'done', v_with, NULL, p_now);
    END IF;
END
$$;
