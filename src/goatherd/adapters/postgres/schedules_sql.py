"""What is asked of the tables of schedules."""

_FIRING = "f.tick, f.id, f.state, f.triggered, f.missed, f.fired, f.begun, f.ended, f.job"
_DUE = "s.name, s.rule, s.rev, s.next_at, s.open, s.waiting, s.last_fired, s.last_ended, s.last_tick"

#: How the server is to plan: it never reads a whole table, though it believes it to be small, and keeps its plans.
PLANNING = (
    "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_mergejoin=off -c enable_hashjoin=off "
    "-c plan_cache_mode=force_generic_plan"
)

DECLARE = "SELECT goatherd.schedule_declare(%s, %s::text[], %s::text[], %s::double precision, %s::bigint)"
MOMENT = "SELECT moment, next_at FROM goatherd.schedule_moment(%s, %s::text[], %s::bigint)"
LOOK = f"""
    WITH asked AS MATERIALIZED (
        SELECT %s::text AS app, %s::text[] AS names, %s::double precision AS now, %s::bigint AS most
    )
    SELECT {_DUE} FROM (
        (SELECT 0 AS turn, s.* FROM asked a CROSS JOIN unnest(a.names) AS n (name) CROSS JOIN LATERAL (
            SELECT s.* FROM goatherd.schedule s WHERE s.name = n.name AND s.app = a.app AND s.due <= a.now OFFSET 0
        ) s)
        UNION ALL
        (SELECT 1, s.* FROM asked a CROSS JOIN LATERAL (
            SELECT s.* FROM goatherd.schedule s
            WHERE s.app = a.app AND s.job IS NOT NULL AND s.due <= a.now AND s.name <> ALL (a.names)
            ORDER BY s.due LIMIT a.most
        ) s)
    ) s ORDER BY s.turn, s.due, s.name LIMIT (SELECT most FROM asked)
"""
FIRINGS = f"""
    WITH asked AS MATERIALIZED (SELECT %s::text AS app, %s::text[] AS names, %s::bigint AS most)
    SELECT f.name, {_FIRING} FROM (
        (SELECT 0 AS turn, s.name, f.* FROM asked a CROSS JOIN unnest(a.names) AS n (name) CROSS JOIN LATERAL (
            SELECT s.id, s.name FROM goatherd.schedule s WHERE s.name = n.name AND s.app = a.app OFFSET 0
        ) s CROSS JOIN LATERAL (
            SELECT f.* FROM goatherd.schedule_firing f WHERE f.schedule = s.id AND f.state = 'due'
            ORDER BY f.place LIMIT a.most
        ) f)
        UNION ALL
        (SELECT 1, s.name, f.* FROM asked a CROSS JOIN LATERAL (
            SELECT f.* FROM goatherd.schedule_firing f
            WHERE f.app = a.app AND f.state = 'due' AND f.job IS NOT NULL
              AND (SELECT o.name FROM goatherd.schedule o WHERE o.id = f.schedule) <> ALL (a.names)
            ORDER BY f.place LIMIT a.most
        ) f CROSS JOIN LATERAL (SELECT s.name FROM goatherd.schedule s WHERE s.id = f.schedule OFFSET 0) s)
    ) f ORDER BY f.turn, f.place LIMIT (SELECT most FROM asked)
"""
DECIDE = """
    SELECT goatherd.schedule_decide(
        %s, %s::text[], %s::bigint[], %s::double precision[], %s::integer[], %s::double precision[], %s::text[],
        %s::text[], %s::integer[], %s::bigint)
"""
BEGIN = "SELECT goatherd.schedule_begin(%s, %s::text[], %s, %s::bigint)"
END = "SELECT goatherd.schedule_end(%s, %s::text[], %s::text[], %s::bigint)"
FORGET = "SELECT goatherd.schedule_forget(%s, %s::double precision, %s::integer, %s::bigint)"
EXPIRE = "SELECT goatherd.schedule_expire(%s, goatherd.schedule_clock(%s::bigint))"

LIST = """
    SELECT s.name, s.rule, s.chosen IS NOT NULL, s.fires, s.paused, s.next_at, s.open, s.waiting, s.newest, s.newest_end
    FROM goatherd.schedule s WHERE s.app = %s AND (s.coded IS NOT NULL OR s.chosen IS NOT NULL) ORDER BY s.name
"""
BY_PLACE = f"""
    SELECT f.place, s.name, {_FIRING} FROM unnest(%s::bigint[]) AS a (place) CROSS JOIN LATERAL (
        SELECT f.* FROM goatherd.schedule_firing f WHERE f.place = a.place OFFSET 0
    ) f CROSS JOIN LATERAL (SELECT s.name FROM goatherd.schedule s WHERE s.id = f.schedule OFFSET 0) s
"""
HISTORY = f"""
    SELECT s.name, {_FIRING} FROM goatherd.schedule s CROSS JOIN LATERAL (
        SELECT f.* FROM goatherd.schedule_firing f WHERE f.schedule = s.id ORDER BY f.place DESC LIMIT %s
    ) f WHERE s.name = %s AND s.app = %s ORDER BY f.place DESC
"""
SET = "SELECT goatherd.schedule_set(%s, %s, %s, %s::bytea, %s::bigint)"
REMOVE = "SELECT goatherd.schedule_remove(%s, %s, %s::bigint)"
_CHANGE = """
    UPDATE goatherd.schedule s
    SET paused = {paused}, {more}
        rev = CASE WHEN s.paused = {paused} THEN s.rev
                   ELSE goatherd.schedule_rev(s.rev, goatherd.schedule_clock(%s::bigint)) END
    WHERE s.name = %s AND s.app = %s AND (s.coded IS NOT NULL OR s.chosen IS NOT NULL) RETURNING 1
"""
PAUSE = _CHANGE.format(paused="true", more="")
RESUME = _CHANGE.format(
    paused="false",
    more="next_at = CASE WHEN NOT s.paused THEN s.next_at END, awaits = s.awaits AND NOT s.paused,",
)
TRIGGER = "SELECT goatherd.schedule_trigger(%s, %s, %s, %s::bigint)"
