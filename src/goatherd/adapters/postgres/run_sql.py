"""What operators ask of the tables of runs."""

#: `r` is a run, with what its steps are at.
_SUMMARY = """
    SELECT r.id, r.pipeline, r.state, r.created, r.ended, r.trouble, s.done, s.steps, s.now_at, f.failed_at{more}
    FROM {runs} r CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE u.state IN ('done', 'skipped')) AS done, count(*) AS steps,
               array_agg(u.step ORDER BY u.place) FILTER (WHERE u.state IN ('ready', 'running', 'spread')) AS now_at
        FROM goatherd.run_unit u WHERE u.run = r.id AND u.app = r.app AND u.item = -1
    ) s CROSS JOIN LATERAL (
        SELECT array_agg(f.step ORDER BY f.place) AS failed_at FROM (
            SELECT DISTINCT u.step, u.place FROM goatherd.run_unit u
            WHERE u.app = r.app AND u.stuck = r.place AND u.state = 'failed'
        ) f
    ) f
"""
FIND = f"""
    WITH asked AS MATERIALIZED (
        SELECT %s::text AS app, %s::text AS pipeline, %s::bigint AS most
    ), found AS MATERIALIZED (
        SELECT r.* FROM asked a CROSS JOIN unnest(%s::text[]) AS s (state) CROSS JOIN LATERAL (
            SELECT r.* FROM goatherd.run r
            WHERE r.app = a.app AND r.state = s.state AND (a.pipeline IS NULL OR r.pipeline = a.pipeline)
            ORDER BY r.place DESC LIMIT a.most
        ) r ORDER BY r.place DESC LIMIT (SELECT most FROM asked)
    ) {_SUMMARY.format(runs="found", more="")} ORDER BY r.place DESC
"""
#: Of all units those that are stuck have an index.
FIND_TROUBLED = f"""
    WITH asked AS MATERIALIZED (
        SELECT %s::text AS app, %s::text AS pipeline, %s::bigint AS most, %s::text[] AS states, %s::text AS step
    ), found AS MATERIALIZED (
        SELECT r.* FROM asked a CROSS JOIN LATERAL (
            SELECT DISTINCT u.stuck, u.run FROM goatherd.run_unit u
            WHERE u.app = a.app AND u.stuck IS NOT NULL AND u.step = a.step
              AND (a.pipeline IS NULL OR u.pipeline = a.pipeline)
        ) u CROSS JOIN LATERAL (
            SELECT r.* FROM goatherd.run r WHERE r.id = u.run AND r.app = a.app OFFSET 0
        ) r WHERE r.state = ANY (a.states) ORDER BY r.place DESC LIMIT (SELECT most FROM asked)
    ) {_SUMMARY.format(runs="found", more="")} ORDER BY r.place DESC
"""
LOOK = f"{_SUMMARY.format(runs='goatherd.run', more=', r.input')} WHERE r.app = %s AND r.id = %s"
LOOK_AT_STEPS = """
    SELECT h.step, h.state, h.phase,
           coalesce(h.total - h.remaining, CASE WHEN h.state IN ('done', 'skipped') THEN 1 ELSE 0 END),
           coalesce(h.total, 1), u.skipped, u.failed, u.compensating, u.running, u.failures, u.deaths, u.started,
           h.ended, u.worker, u.trouble
    FROM goatherd.run_unit h CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.size) FILTER (WHERE u.item >= 0 AND u.state = 'skipped'), 0) AS skipped,
               coalesce(sum(greatest(u.size, 1)) FILTER (WHERE u.state = 'failed'), 0) AS failed,
               coalesce(sum(greatest(u.size, 1)) FILTER (
                   WHERE u.phase = 'compensate' AND u.state IN ('ready', 'running')), 0) AS compensating,
               count(*) FILTER (WHERE u.state = 'running') AS running, sum(u.failures + u.forgone) AS failures,
               sum(u.deaths) AS deaths, min(u.started) AS started,
               max(u.worker) FILTER (WHERE u.state = 'running') AS worker,
               (array_agg(u.trouble ORDER BY u.stuck, u.due DESC) FILTER (WHERE u.trouble IS NOT NULL))[1] AS trouble
        FROM goatherd.run_unit u WHERE u.run = h.run AND u.app = h.app AND u.step = h.step
    ) u WHERE h.run = %s AND h.app = %s AND h.item = -1 ORDER BY h.place
"""
END = "SELECT goatherd.run_end(%s, %s::text[], %s, %s::text[], NULL, goatherd.clock(%s::bigint))"
STATE = "SELECT state FROM goatherd.run WHERE id = %s AND app = %s FOR UPDATE"
STATES = "SELECT step, state FROM goatherd.run_unit WHERE run = %s AND app = %s AND item = -1"
STUCK = "SELECT step, item FROM goatherd.run_unit WHERE run = %s AND app = %s AND coalesce(stuck, 0) > 0"
ALL_STUCK = """
    SELECT u.run, u.step, u.item FROM goatherd.run_unit u CROSS JOIN LATERAL (
        SELECT r.state FROM goatherd.run r WHERE r.id = u.run AND r.app = u.app OFFSET 0
    ) r WHERE r.state <> 'cancelled' AND u.app = %s AND u.stuck IS NOT NULL AND u.pipeline = ANY (%s::text[])
      AND (%s::text IS NULL OR u.step = %s)
    ORDER BY u.stuck, u.place, u.item LIMIT %s
"""
#: Locked: nobody may get a greater one meanwhile.
TOKENS = """
    SELECT u.step, max(u.token) FROM (
        SELECT u.step, u.token FROM goatherd.run_unit u WHERE u.run = %s AND u.app = %s AND u.step = ANY (%s::text[])
        ORDER BY u.step, u.item FOR UPDATE
    ) u GROUP BY u.step
"""
DROP_PARCELS = "DELETE FROM goatherd.run_unit WHERE run = %s AND app = %s AND step = ANY (%s::text[]) AND item >= 0"
RESET = """
    UPDATE goatherd.run_unit
    SET state = CASE %s::integer WHEN 0 THEN 'ready' ELSE 'waiting' END, missing = %s, round = %s, token = %s,
        due = goatherd.clock(%s::bigint), tell = NULL, tellings = 0, phase = 'do', settled = 0, lease = NULL,
        worker = '', number = 0, stuck = NULL, failures = 0, forgone = 0, deaths = 0, started = NULL, ended = NULL,
        total = NULL, remaining = NULL, at_once = NULL, busy = NULL, trouble = NULL, result = NULL
    WHERE run = %s AND app = %s AND step = %s AND item = -1
"""
TAKE_UP = "UPDATE goatherd.run SET state = 'running', step = '', trouble = NULL WHERE id = %s AND app = %s"
#: A parcel waits for its turn among the others of its head. Who claims units does not lock runs, so these are changed
#: wherever they are by then.
BEGIN_AGAIN = """
    UPDATE goatherd.run_unit u
    SET state = CASE WHEN u.item >= 0 AND (
                SELECT h.at_once FROM goatherd.run_unit h
                WHERE h.run = u.run AND h.app = u.app AND h.step = u.step AND h.item = -1
            ) IS NOT NULL THEN 'held' ELSE 'ready' END,
        phase = 'do', stuck = NULL, failures = 0, forgone = 0, deaths = 0, trouble = NULL, lease = NULL, ended = NULL,
        due = goatherd.clock(%s::bigint), tell = NULL, tellings = 0
    WHERE u.run = %s AND u.app = %s AND coalesce(u.stuck, 0) > 0
      AND (u.state = 'failed' OR (u.step, u.item) IN (SELECT * FROM unnest(%s::text[], %s::integer[])))
    RETURNING u.step, u.item
"""
TELL_AGAIN = """
    UPDATE goatherd.run_unit u SET tell = greatest(u.due, goatherd.clock(%s::bigint)), tellings = 0
    WHERE u.run = %s AND u.app = %s AND u.state = 'ready' AND u.tell IS NULL
"""
FILL = """
    SELECT goatherd.run_advance(
        %s, %s::text[], %s::text[], %s::boolean[], %s::integer[], %s::integer[], NULL, NULL, NULL,
        goatherd.clock(%s::bigint))
"""
LAST = "SELECT step FROM goatherd.run_unit WHERE run = %s AND app = %s AND item = -1 ORDER BY place DESC LIMIT 1"
LEFT = """
    SELECT 1 FROM goatherd.run_unit
    WHERE run = %s AND app = %s AND item = -1 AND state NOT IN ('done', 'skipped') LIMIT 1
"""
