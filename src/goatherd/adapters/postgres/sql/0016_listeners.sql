-- How the listeners of all processes stand, for people. Times of the store are microseconds since the epoch; those that
-- a process tells of its own listeners are its own seconds.

CREATE TABLE goatherd.listening_process (
    app     text   COLLATE "C" NOT NULL,
    process text   COLLATE "C" NOT NULL,
    seen    bigint NOT NULL,
    until   bigint NOT NULL,             -- it is taken for dead afterwards
    PRIMARY KEY (app, process)
);

CREATE TABLE goatherd.listener (
    app           text             COLLATE "C" NOT NULL,
    process       text             COLLATE "C" NOT NULL,
    queue         text             COLLATE "C" NOT NULL,
    pattern       text             COLLATE "C" NOT NULL,
    condition     text             NOT NULL,
    since         double precision NOT NULL,
    restarts      integer          NOT NULL,
    failures      integer          NOT NULL,
    why           text             NOT NULL,
    last_delivery double precision,
    wanted        boolean          NOT NULL DEFAULT false, -- whether somebody wants it restarted
    PRIMARY KEY (app, process, queue),
    FOREIGN KEY (app, process) REFERENCES goatherd.listening_process (app, process) ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE INDEX listener_queue ON goatherd.listener (app, queue);
CREATE INDEX listener_wanted ON goatherd.listener (app, process) WHERE wanted;

-- A process lives, and tells how some of its listeners stand and which are no more. Gives those that somebody wants
-- restarted.
CREATE FUNCTION goatherd.listener_report(
    p_app text, p_process text, p_alive bigint, p_now bigint, p_gone text[],
    p_queues text[], p_patterns text[], p_conditions text[], p_since double precision[], p_restarts integer[],
    p_failures integer[], p_why text[], p_last double precision[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    v_now    bigint := goatherd.clock(p_now);
    v_wanted text[];
BEGIN
    INSERT INTO goatherd.listening_process (app, process, seen, until)
    VALUES (p_app, p_process, v_now, v_now + p_alive)
    ON CONFLICT (app, process) DO UPDATE SET seen = excluded.seen, until = excluded.until;

    -- Several processes may find the same one dead at the same moment.
    DELETE FROM goatherd.listening_process d WHERE d.ctid = ANY (ARRAY(
        SELECT o.ctid FROM goatherd.listening_process o WHERE o.until < v_now FOR UPDATE SKIP LOCKED
    ));
    DELETE FROM goatherd.listener WHERE app = p_app AND process = p_process AND queue = ANY (p_gone);

    INSERT INTO goatherd.listener
        (app, process, queue, pattern, condition, since, restarts, failures, why, last_delivery)
    SELECT p_app, p_process, told.*
    FROM unnest(p_queues, p_patterns, p_conditions, p_since, p_restarts, p_failures, p_why, p_last) AS told
    ON CONFLICT (app, process, queue) DO UPDATE SET
        pattern = excluded.pattern, condition = excluded.condition, since = excluded.since,
        restarts = excluded.restarts, failures = excluded.failures, why = excluded.why,
        last_delivery = excluded.last_delivery;

    WITH wanted AS (
        UPDATE goatherd.listener SET wanted = false WHERE app = p_app AND process = p_process AND wanted
        RETURNING queue
    )
    SELECT array_agg(w.queue) INTO v_wanted FROM wanted w;
    RETURN coalesce(v_wanted, '{}');
END
$$;
