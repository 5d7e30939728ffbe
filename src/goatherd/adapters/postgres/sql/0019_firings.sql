-- What becomes of the ticks of schedules.

-- Put firings on record; gives false for a schedule that has another `rev` by now. `p_of` says to which of the
-- decisions, counted from 1, a firing belongs.
CREATE FUNCTION goatherd.schedule_decide(
    p_app text, p_names text[], p_revs bigint[], p_next_at double precision[], p_of integer[],
    p_ticks double precision[], p_ids text[], p_states text[], p_missed integer[], p_now bigint
) RETURNS boolean[] LANGUAGE plpgsql AS $$
DECLARE
    v_heard boolean[] := array_fill(false, ARRAY[cardinality(p_names)]);
    v_now double precision;
    d record;
    s goatherd.schedule;
    f record;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, goatherd.schedule_clock(p_now));
    FOR d IN SELECT a.* FROM unnest(p_names, p_revs, p_next_at) WITH ORDINALITY AS a (name, rev, next_at, at)
             ORDER BY a.name, a.at
    LOOP
        SELECT * INTO s FROM goatherd.schedule o WHERE o.name = d.name AND o.app = p_app FOR UPDATE;
        CONTINUE WHEN s.rev IS DISTINCT FROM d.rev;
        -- Later than whatever others did before the lock was ours.
        v_now := goatherd.schedule_clock(p_now);
        WITH put AS (
            INSERT INTO goatherd.schedule_firing (app, schedule, tick, id, state, triggered, missed, fired, job)
            SELECT p_app, s.id, a.tick, a.id, a.state, false, a.missed, v_now,
                   CASE WHEN a.state IN ('due', 'waiting') THEN s.job END
            FROM unnest(p_of, p_ticks, p_ids, p_states, p_missed) WITH ORDINALITY AS a (of, tick, id, state, missed, at)
            WHERE a.of = d.at ORDER BY a.at
            ON CONFLICT DO NOTHING RETURNING place, state
        )
        SELECT max(p.place) AS newest, count(*) FILTER (WHERE p.state = 'due') AS due,
               count(*) FILTER (WHERE p.state = 'waiting') AS waiting INTO f FROM put p;
        UPDATE goatherd.schedule o
        SET next_at = d.next_at, awaits = d.next_at IS NULL, newest = coalesce(f.newest, s.newest),
            open = s.open + f.due, waiting = s.waiting + f.waiting,
            last_fired = CASE WHEN f.due > 0 THEN v_now ELSE s.last_fired END,
            last_tick = greatest(s.last_tick, (
                SELECT max(a.tick) FROM unnest(p_of, p_ticks) AS a (of, tick) WHERE a.of = d.at
            )),
            rev = goatherd.schedule_rev(s.rev, v_now)
        WHERE o.id = s.id;
        v_heard[d.at] := true;
    END LOOP;
    RETURN v_heard;
END
$$;

-- A firing that was due or open has ended; true if there is something to do now. The schedule is locked.
CREATE FUNCTION goatherd.schedule_over(p_id bigint, p_place bigint, p_state text, p_now double precision)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    s goatherd.schedule;
    v_asks boolean;
    v_next bigint;
BEGIN
    SELECT * INTO STRICT s FROM goatherd.schedule o WHERE o.id = p_id;
    UPDATE goatherd.schedule_firing f SET state = p_state, ended = p_now WHERE f.place = p_place;
    v_asks := s.awaits OR s.after_end;
    IF s.waiting > 0 AND (s.open = 1 OR s.beside) THEN
        SELECT f.place INTO v_next FROM goatherd.schedule_firing f
        WHERE f.schedule = p_id AND f.state = 'waiting' ORDER BY f.place LIMIT 1;
        UPDATE goatherd.schedule_firing f SET state = 'due' WHERE f.place = v_next;
    END IF;
    UPDATE goatherd.schedule o
    SET open = s.open - 1 + (v_next IS NOT NULL)::integer, waiting = s.waiting - (v_next IS NOT NULL)::integer,
        last_ended = p_now, last_fired = CASE WHEN v_next IS NULL THEN s.last_fired ELSE p_now END,
        newest_end = greatest(s.newest_end, p_place),
        next_at = CASE WHEN NOT v_asks THEN s.next_at END, awaits = s.awaits AND NOT v_asks,
        rev = goatherd.schedule_rev(s.rev, p_now)
    WHERE o.id = p_id;
    RETURN v_next IS NOT NULL
        OR (s.fires AND NOT s.paused AND (v_asks OR (s.next_at IS NULL AND NOT s.awaits)));
END
$$;

-- Lock the schedules of these firings.
CREATE FUNCTION goatherd.schedule_lock(p_app text, p_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id bigint;
BEGIN
    FOR v_id IN
        SELECT o.id FROM (
            SELECT DISTINCT s.name, s.id FROM unnest(p_ids) AS a (id) CROSS JOIN LATERAL (
                SELECT f.schedule FROM goatherd.schedule_firing f
                WHERE f.id = a.id AND f.id <> '' AND f.app = p_app OFFSET 0
            ) f CROSS JOIN LATERAL (SELECT s.id, s.name FROM goatherd.schedule s WHERE s.id = f.schedule OFFSET 0) s
        ) o ORDER BY o.name
    LOOP
        PERFORM FROM goatherd.schedule s WHERE s.id = v_id FOR UPDATE;
    END LOOP;
END
$$;

-- Runs of firings have begun, or were only sent.
CREATE FUNCTION goatherd.schedule_begin(p_app text, p_ids text[], p_ended boolean, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_now double precision;
    v record;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, goatherd.schedule_clock(p_now));
    PERFORM goatherd.schedule_lock(p_app, p_ids);
    v_now := goatherd.schedule_clock(p_now);
    FOR v IN
        SELECT a.id, f.place, f.schedule FROM unnest(p_ids) WITH ORDINALITY AS a (id, at) CROSS JOIN LATERAL (
            SELECT f.place, f.schedule FROM goatherd.schedule_firing f
            WHERE f.id = a.id AND f.id <> '' AND f.app = p_app OFFSET 0
        ) f ORDER BY a.at
    LOOP
        UPDATE goatherd.schedule_firing o SET state = 'open', begun = v_now
        WHERE o.place = v.place AND o.state || '' = 'due';
        CONTINUE WHEN NOT FOUND;
        UPDATE goatherd.schedule s SET last_fired = v_now, rev = goatherd.schedule_rev(s.rev, v_now)
        WHERE s.id = v.schedule;
        IF p_ended THEN
            PERFORM goatherd.schedule_over(v.schedule, v.place, 'done', v_now);
        END IF;
    END LOOP;
END
$$;

-- Runs of firings have ended; true if there is something to do now.
CREATE FUNCTION goatherd.schedule_end(p_app text, p_ids text[], p_states text[], p_now bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_now double precision;
    v_to_do boolean := false;
    e record;
    f record;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, goatherd.schedule_clock(p_now));
    PERFORM goatherd.schedule_lock(p_app, p_ids);
    v_now := goatherd.schedule_clock(p_now);
    FOR e IN SELECT a.id, a.state FROM unnest(p_ids, p_states) WITH ORDINALITY AS a (id, state, at) ORDER BY a.at LOOP
        SELECT o.place, o.schedule, o.state INTO f FROM goatherd.schedule_firing o
        WHERE o.id = e.id AND o.id <> '' AND o.app = p_app;
        IF f.state IN ('due', 'open') THEN
            v_to_do := goatherd.schedule_over(f.schedule, f.place, e.state, v_now) OR v_to_do;
        ELSIF f.state <> 'waiting' AND f.state <> e.state THEN
            UPDATE goatherd.schedule_firing o SET state = e.state, ended = v_now WHERE o.place = f.place;
            UPDATE goatherd.schedule s SET rev = goatherd.schedule_rev(s.rev, v_now) WHERE s.id = f.schedule;
        END IF;
    END LOOP;
    RETURN v_to_do;
END
$$;

-- Fire a schedule now; gives the place of the firing, or NULL if there is no such schedule.
CREATE FUNCTION goatherd.schedule_trigger(p_app text, p_name text, p_id text, p_now bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_now double precision := goatherd.schedule_clock(p_now);
    v_moment bigint;
    v_place bigint;
    v_state text;
    s goatherd.schedule;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, v_now);
    SELECT * INTO s FROM goatherd.schedule o WHERE o.name = p_name AND o.app = p_app FOR UPDATE;
    SELECT f.place INTO v_place FROM goatherd.schedule_firing f WHERE f.id = p_id AND f.id <> '' AND f.app = p_app;
    IF v_place IS NOT NULL OR (s.coded IS NULL AND s.chosen IS NULL) THEN
        RETURN v_place;
    END IF;
    v_now := goatherd.schedule_clock(p_now);
    v_moment := floor(v_now * 1000000);
    v_state := CASE WHEN s.beside OR s.open + s.waiting = 0 THEN 'due' ELSE 'waiting' END;
    WHILE EXISTS (SELECT FROM goatherd.schedule_firing f
                  WHERE f.schedule = s.id AND f.tick = v_moment::double precision / 1000000 AND f.triggered) LOOP
        v_moment := v_moment + 1;
    END LOOP;
    INSERT INTO goatherd.schedule_firing (app, schedule, tick, id, state, triggered, missed, fired, job)
    VALUES (p_app, s.id, v_moment::double precision / 1000000, p_id, v_state, true, 0, v_now, s.job)
    ON CONFLICT DO NOTHING RETURNING place INTO v_place;
    IF v_place IS NULL THEN
        -- Another schedule was triggered under this id at the same time.
        SELECT f.place INTO v_place FROM goatherd.schedule_firing f WHERE f.id = p_id AND f.id <> '' AND f.app = p_app;
        RETURN v_place;
    END IF;
    UPDATE goatherd.schedule o
    SET open = s.open + (v_state = 'due')::integer, waiting = s.waiting + (v_state = 'waiting')::integer,
        last_fired = CASE v_state WHEN 'due' THEN v_now ELSE s.last_fired END, newest = v_place,
        rev = goatherd.schedule_rev(s.rev, v_now)
    WHERE o.id = s.id;
    RETURN v_place;
END
$$;

-- Forget what is over for so many seconds; gives how many firings there were.
CREATE FUNCTION goatherd.schedule_forget(p_app text, p_older double precision, p_limit integer, p_now bigint)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_before double precision := goatherd.schedule_clock(p_now) - p_older;
    v_count bigint;
BEGIN
    DELETE FROM goatherd.schedule_firing d WHERE d.place = ANY (ARRAY(
        SELECT f.place FROM goatherd.schedule_firing f CROSS JOIN LATERAL (
            SELECT s.coded, s.chosen, s.newest, s.newest_end FROM goatherd.schedule s WHERE s.id = f.schedule OFFSET 0
        ) s
        WHERE f.app = p_app AND f.over <= v_before
          AND ((s.coded IS NULL AND s.chosen IS NULL)
               OR (f.place IS DISTINCT FROM s.newest AND f.place IS DISTINCT FROM s.newest_end))
        ORDER BY f.over LIMIT p_limit FOR UPDATE OF f SKIP LOCKED
    ));
    GET DIAGNOSTICS v_count = ROW_COUNT;
    DELETE FROM goatherd.schedule d WHERE d.id = ANY (ARRAY(
        SELECT s.id FROM goatherd.schedule s WHERE s.app = p_app AND s.coded IS NULL AND s.chosen IS NULL
          AND NOT EXISTS (SELECT FROM goatherd.schedule_firing f WHERE f.schedule = s.id)
        LIMIT p_limit FOR UPDATE OF s SKIP LOCKED
    ));
    RETURN v_count;
END
$$;
