"""What is asked of the tables of runs besides whole exchanges. As there, rows are found one by one through LATERAL."""

from goatherd.adapters.postgres.store import THIS_STORE

#: How the server is to plan what it is asked here: it must never read a whole table, though it believes a table to be
#: small, and one plan is kept, because making one takes longer than to carry it out.
PLANNING = (
    "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_mergejoin=off -c plan_cache_mode=force_generic_plan"
)

#: Without `::`, which not every library of the users takes for what it is. Gives NULL on a database that is another.
BEGIN = f"""
    WITH asked AS MATERIALIZED (
        SELECT CAST(%s AS text) AS app, CAST(%s AS text) AS call, goatherd.clock(CAST(%s AS bigint)) AS now
        WHERE ({THIS_STORE}) = CAST(%s AS text)
    ), given AS MATERIALIZED (
        SELECT g.*, a.*, nextval('goatherd.run_place') AS place FROM asked a CROSS JOIN unnest(
            CAST(%s AS text[]), CAST(%s AS text[]), CAST(%s AS bytea[]), CAST(%s AS text[]), CAST(%s AS integer[]),
            CAST(%s AS bigint[])
        ) WITH ORDINALITY AS g (id, pipeline, input, trace, priority, delay, at)
    ), new AS (
        INSERT INTO goatherd.run (app, id, pipeline, input, trace, priority, place, call, created)
        SELECT g.app, g.id, g.pipeline, g.input, g.trace, g.priority, g.place, g.call, g.now FROM given g ORDER BY g.id
        ON CONFLICT DO NOTHING RETURNING id
    ), units AS (
        INSERT INTO goatherd.run_unit (app, run, step, item, pipeline, place, state, missing, round, token, due, tell)
        SELECT g.app, g.id, s.step, -1, g.pipeline, s.place, CASE s.missing WHEN 0 THEN 'ready' ELSE 'waiting' END,
               s.missing, g.now, g.now, g.now + g.delay, CASE s.missing WHEN 0 THEN g.now + g.delay END
        FROM new n JOIN given g ON g.id = n.id JOIN unnest(
            CAST(%s AS integer[]), CAST(%s AS text[]), CAST(%s AS integer[])
        ) WITH ORDINALITY AS s (run, step, missing, place) ON s.run = g.at
    )
    SELECT (
        SELECT array_agg(n.id IS NOT NULL OR r.call IS NOT NULL ORDER BY g.at) FROM given g
        LEFT JOIN new n ON n.id = g.id
        -- One that this very call has begun, whose answer was lost.
        LEFT JOIN LATERAL (
            SELECT r.call FROM goatherd.run r WHERE r.id = g.id AND r.app = g.app AND r.call = g.call OFFSET 0
        ) r ON true
    ) AS begun
"""
#: The same for one run. A statement that writes cannot be a part of another.
BEGIN_ONE = BEGIN.replace(") AS begun", ")[1] AS begun")
#: Said in a transaction that nobody has to wait for until it is on the disk: if it is undone, units are told of once
#: more, or have an older lease. A claim is not of that kind: somebody has begun to work.
_NEED_NOT_LAST = "set_config('synchronous_commit', 'off', true)"
TAKE = f"""
    WITH asked AS MATERIALIZED (
        SELECT %s::text AS app, %s::text[] AS pipelines, %s::bigint AS most, %s::bigint AS pause,
               goatherd.clock(%s::bigint) AS now, %s::bigint AS back, {_NEED_NOT_LAST}
    ), due AS MATERIALIZED (
        SELECT u.*, a.now, a.app,
               greatest(a.pause, least(a.pause * 2::float8 ^ least(u.tellings, 40), 3600000000))::bigint AS pause
        FROM asked a CROSS JOIN unnest(a.pipelines) AS p (name) CROSS JOIN LATERAL (
            SELECT u.ctid AS row, u.tell, u.tellings FROM goatherd.run_unit u
            WHERE u.app = a.app AND u.pipeline = p.name AND u.tell <= a.now AND u.tell > a.now - a.back
            ORDER BY u.tell LIMIT a.most FOR UPDATE SKIP LOCKED
        ) u ORDER BY u.tell LIMIT (SELECT most FROM asked)
    ), taken AS (
        UPDATE goatherd.run_unit u SET tell = d.now + d.pause, tellings = u.tellings + 1
        FROM due d WHERE u.ctid = d.row RETURNING u.*, d.tell AS since
    )
    SELECT t.run, t.step, t.item, t.pipeline, t.size, t.content, t.phase, t.failures, t.tellings - 1, t.trouble,
           r.trace, r.priority, r.created, t.round
    FROM taken t CROSS JOIN LATERAL (
        SELECT r.trace, r.priority, r.created FROM goatherd.run r WHERE r.id = t.run AND r.app = t.app OFFSET 0
    ) r ORDER BY t.since, t.run, t.place, t.item
"""
POSTPONE = f"""
    WITH asked AS MATERIALIZED (
        SELECT %s::text AS app, goatherd.clock(%s::bigint) + %s::bigint AS tell, {_NEED_NOT_LAST}
    ), those AS MATERIALIZED (
        SELECT u.row, a.tell FROM asked a
        CROSS JOIN unnest(%s::text[], %s::text[], %s::integer[]) AS k (run, step, item) CROSS JOIN LATERAL (
            SELECT u.ctid AS row FROM goatherd.run_unit u
            WHERE u.run = k.run AND u.app = a.app AND u.step = k.step AND u.item = k.item AND u.state = 'ready'
            FOR UPDATE SKIP LOCKED
        ) u
    )
    UPDATE goatherd.run_unit u
    SET tell = CASE WHEN u.tell IS NOT NULL THEN t.tell END, tellings = greatest(u.tellings - 1, 0)
    FROM those t WHERE u.ctid = t.row
"""
EXCHANGE = """
    SELECT * FROM goatherd.run_exchange(
        %s, %s, %s::bigint, %s::integer, %s::text[], %s::text[], %s::text[], %s::integer[], %s::bigint[], %s::bytea[],
        %s::bytea[], %s::integer[], %s::bigint[], %s::bytea[], %s::integer[], %s::integer[], %s::integer[],
        %s::integer[], %s::bytea[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::integer[],
        %s::bigint, %s::bigint)
"""
LOCK = "SELECT goatherd.run_lock(%s, %s::text[])"
#: One that somebody does something with at this moment is left as it is.
BEAT = f"""
    WITH asked AS MATERIALIZED (
        SELECT %s::text AS app, goatherd.clock(%s::bigint) + %s::bigint AS lease, {_NEED_NOT_LAST}
    ), holds AS MATERIALIZED (
        SELECT h.at, u.state IS NOT NULL AND r.state <> 'cancelled' AS held, a.*, h.run, h.step, h.item, h.token
        FROM asked a CROSS JOIN unnest(%s::text[], %s::text[], %s::integer[], %s::bigint[])
            WITH ORDINALITY AS h (run, step, item, token, at)
        LEFT JOIN LATERAL (
            SELECT u.state FROM goatherd.run_unit u
            WHERE u.run = h.run AND u.app = a.app AND u.step = h.step AND u.item = h.item AND u.token = h.token
              AND u.state = 'running' OFFSET 0
        ) u ON true
        LEFT JOIN LATERAL (SELECT r.state FROM goatherd.run r WHERE r.id = h.run AND r.app = a.app OFFSET 0) r ON true
    ), those AS MATERIALIZED (
        SELECT u.row, h.lease FROM holds h CROSS JOIN LATERAL (
            SELECT u.ctid AS row FROM goatherd.run_unit u
            WHERE u.run = h.run AND u.app = h.app AND u.step = h.step AND u.item = h.item AND u.token = h.token
              AND u.state = 'running' FOR UPDATE SKIP LOCKED
        ) u WHERE h.held
    ), kept AS (
        UPDATE goatherd.run_unit u SET lease = t.lease FROM those t WHERE u.ctid = t.row
    )
    SELECT array_agg(coalesce(h.held, false) ORDER BY h.at) FROM holds h
"""
OVERDUE = """
    SELECT array_agg(DISTINCT u.run) FROM (
        SELECT u.run FROM (SELECT goatherd.clock(%s::bigint) AS now OFFSET 0) a CROSS JOIN LATERAL (
            SELECT u.run FROM goatherd.run_unit u WHERE u.app = %s AND u.lease <= a.now ORDER BY u.lease LIMIT %s
        ) u
    ) u
"""
REAP = """
    WITH asked AS MATERIALIZED (
        SELECT goatherd.clock(%s::bigint) AS now
    ), lost AS MATERIALIZED (
        SELECT u.row, r.live, a.now FROM asked a CROSS JOIN LATERAL (
            SELECT u.ctid AS row, u.run, u.app FROM goatherd.run_unit u
            WHERE u.app = %s AND u.lease <= a.now AND u.run = ANY (%s::text[])
            ORDER BY u.lease LIMIT %s FOR UPDATE SKIP LOCKED
        ) u CROSS JOIN LATERAL (
            SELECT r.state = 'running' AS live FROM goatherd.run r WHERE r.id = u.run AND r.app = u.app OFFSET 0
        ) r
    ), ready AS (
        UPDATE goatherd.run_unit u
        SET state = 'ready', deaths = u.deaths + 1, lease = NULL, due = l.now, tellings = 0,
            tell = CASE WHEN l.live THEN l.now END
        FROM lost l WHERE u.ctid = l.row RETURNING 1
    )
    SELECT count(*) FROM ready
"""
RESULTS = """
    SELECT CASE WHEN k.step = '' THEN r.input WHEN u.state = 'skipped' THEN 'null'
                WHEN u.total IS NULL THEN u.result ELSE '['::bytea || coalesce(i.results, '') || ']'::bytea END
    FROM (SELECT %s::text AS app OFFSET 0) a
    CROSS JOIN unnest(%s::text[], %s::text[]) WITH ORDINALITY AS k (run, step, at)
    LEFT JOIN LATERAL (
        SELECT r.input FROM goatherd.run r WHERE r.id = k.run AND r.app = a.app AND k.step = '' OFFSET 0
    ) r ON true
    LEFT JOIN LATERAL (
        SELECT u.state, u.total, u.result FROM goatherd.run_unit u
        WHERE u.run = k.run AND u.app = a.app AND u.step = k.step AND u.item = -1 AND u.state IN ('done', 'skipped')
        OFFSET 0
    ) u ON true
    LEFT JOIN LATERAL (
        SELECT string_agg(i.result, ',' ORDER BY i.item) AS results FROM goatherd.run_unit i
        WHERE i.run = k.run AND i.app = a.app AND i.step = k.step AND i.item >= 0 AND i.state = 'done'
          AND u.total IS NOT NULL
    ) i ON true
    ORDER BY k.at
"""
ENDED = """
    SELECT id, pipeline, state, ended, step, trouble FROM goatherd.run
    WHERE app = %s AND state <> 'running' AND NOT told ORDER BY ended LIMIT %s
"""
#: Of one end only: each has its own time, in all the life of a run.
TOLD = """
    WITH those AS MATERIALIZED (
        SELECT r.row FROM (
            SELECT %s::text AS app, t.* FROM unnest(%s::text[], %s::bigint[]) AS t (id, ended)
            ORDER BY t.id OFFSET 0
        ) t CROSS JOIN LATERAL (
            SELECT r.ctid AS row FROM goatherd.run r
            WHERE r.id = t.id AND r.app = t.app AND r.ended = t.ended FOR UPDATE
        ) r
    )
    UPDATE goatherd.run r SET told = true FROM those t WHERE r.ctid = t.row
"""
LETTERS = "SELECT id, content FROM goatherd.run_letter WHERE app = %s ORDER BY place LIMIT %s"
REMOVE_LETTERS = "DELETE FROM goatherd.run_letter WHERE app = %s AND id = ANY (%s::text[])"
FORGETTABLE = """
    SELECT r.id FROM (SELECT goatherd.clock(%s::bigint) - %s::bigint AS before OFFSET 0) a CROSS JOIN LATERAL (
        SELECT r.id FROM goatherd.run r
        WHERE r.app = %s AND r.state <> 'running' AND r.told AND r.ended < a.before
        ORDER BY r.ended LIMIT %s FOR UPDATE SKIP LOCKED
    ) r
"""
FORGET_UNITS = "DELETE FROM goatherd.run_unit WHERE run = ANY (%s::text[]) AND app = %s"
FORGET_RUNS = "DELETE FROM goatherd.run WHERE id = ANY (%s::text[]) AND app = %s"
