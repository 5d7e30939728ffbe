-- Schedules: when each is due, which versions of it programs have, and what has fired. Moments are seconds since the
-- epoch in full precision, for programs reckon ticks with them.
--
-- Whoever changes a schedule or a firing locks the schedule first, and of several those in the order of their names.

CREATE TABLE goatherd.schedule (
    id         bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app        text    COLLATE "C" NOT NULL,
    name       text    COLLATE "C" NOT NULL,
    rule       text    COLLATE "C" NOT NULL,       -- in force
    coded      text    COLLATE "C",                -- as programs have it, or had it last
    chosen     text    COLLATE "C",                -- as somebody set it; NULL too: it was taken back, there is none
    job        bytea,                              -- that was set to be sent
    rev        bigint  NOT NULL DEFAULT 0,
    until      double precision,                   -- how long the version in force lives; NULL if none does
    paused     boolean NOT NULL DEFAULT false,
    next_at    double precision,
    awaits     boolean NOT NULL DEFAULT false,     -- whether it is due only after an end
    open       integer NOT NULL DEFAULT 0,         -- firings that are due or open, and that wait
    waiting    integer NOT NULL DEFAULT 0,
    last_fired double precision,
    last_ended double precision,
    last_tick  double precision,
    newest     bigint,                             -- place of the newest firing, and of the newest one that ended
    newest_end bigint,
    after_end  boolean GENERATED ALWAYS AS (rule::jsonb -> 'timing' ->> 'type' = 'delay') STORED,
    beside     boolean GENERATED ALWAYS AS (rule::jsonb ->> 'overlap' = 'allow') STORED,
    fires      boolean GENERATED ALWAYS AS (until IS NOT NULL OR job IS NOT NULL) STORED,
    due        double precision GENERATED ALWAYS AS (
        CASE WHEN paused OR awaits OR (until IS NULL AND job IS NULL) THEN NULL ELSE coalesce(next_at, 0.0) END
    ) STORED,
    UNIQUE (name, app)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

CREATE INDEX schedule_until   ON goatherd.schedule (app, until) WHERE until IS NOT NULL;
CREATE INDEX schedule_due_job ON goatherd.schedule (app, due)   WHERE job IS NOT NULL AND due IS NOT NULL;
CREATE INDEX schedule_removed ON goatherd.schedule (app, id)    WHERE coded IS NULL AND chosen IS NULL;

CREATE TABLE goatherd.schedule_version (
    schedule bigint  NOT NULL REFERENCES goatherd.schedule ON DELETE CASCADE,
    rule     text    COLLATE "C" NOT NULL,
    appeared bigint  NOT NULL,                     -- greater than that of all that lived then
    until    double precision NOT NULL,            -- how long it lives
    PRIMARY KEY (schedule, rule)
) WITH (fillfactor = 70);

CREATE TABLE goatherd.schedule_firing (
    place     bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- of one schedule: as they were put on record
    app       text    COLLATE "C" NOT NULL,
    schedule  bigint  NOT NULL REFERENCES goatherd.schedule ON DELETE CASCADE,
    tick      double precision NOT NULL,
    id        text    COLLATE "C" NOT NULL,        -- of the run or the job; '' if there is none
    state     text    COLLATE "C" NOT NULL,
    triggered boolean NOT NULL,
    missed    integer NOT NULL,
    fired     double precision NOT NULL,
    begun     double precision,
    ended     double precision,
    job       bytea,
    over      double precision GENERATED ALWAYS AS (
        CASE WHEN state IN ('missed', 'skipped') THEN fired WHEN state IN ('done', 'failed', 'cancelled') THEN ended END
    ) STORED
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE UNIQUE INDEX schedule_firing_tick ON goatherd.schedule_firing (schedule, tick, triggered);
CREATE UNIQUE INDEX schedule_firing_id ON goatherd.schedule_firing (id, app) WHERE id <> '';
CREATE INDEX schedule_firing_history ON goatherd.schedule_firing (schedule, place);
CREATE INDEX schedule_firing_due ON goatherd.schedule_firing (schedule, place) WHERE state = 'due';
CREATE INDEX schedule_firing_job ON goatherd.schedule_firing (app, place) WHERE state = 'due' AND job IS NOT NULL;
CREATE INDEX schedule_firing_waiting ON goatherd.schedule_firing (schedule, place) WHERE state = 'waiting';
CREATE INDEX schedule_firing_over ON goatherd.schedule_firing (app, over) WHERE over IS NOT NULL;

CREATE FUNCTION goatherd.schedule_clock(p_now bigint) RETURNS double precision LANGUAGE sql VOLATILE AS
    $$ SELECT goatherd.clock(p_now)::double precision / 1000000 $$;

-- The next `rev` of a schedule. Never one that the same name had before: rows that are forgotten may come back.
CREATE FUNCTION goatherd.schedule_rev(p_rev bigint, p_now double precision) RETURNS bigint LANGUAGE sql IMMUTABLE AS
    $$ SELECT greatest(p_rev + 1, floor(p_now * 1000000)::bigint) $$;

-- Let that version count which appeared last of those that live. The schedule is locked.
CREATE FUNCTION goatherd.schedule_count(p_id bigint, p_now double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    s goatherd.schedule;
    v_coded text;
    v_until double precision;
    v_rule text;
BEGIN
    SELECT * INTO STRICT s FROM goatherd.schedule o WHERE o.id = p_id;
    SELECT v.rule, v.until INTO v_coded, v_until FROM goatherd.schedule_version v
    WHERE v.schedule = p_id AND v.until > p_now ORDER BY v.appeared DESC LIMIT 1;
    -- One that is gone keeps its rule and its place in time.
    v_coded := coalesce(v_coded, s.coded);
    v_rule := coalesce(s.chosen, v_coded, s.rule);
    UPDATE goatherd.schedule o
    SET coded = v_coded, until = v_until, rule = v_rule,
        next_at = CASE WHEN v_rule = s.rule THEN s.next_at END,
        awaits = s.awaits AND v_rule = s.rule,
        rev = CASE WHEN v_coded IS NOT DISTINCT FROM s.coded AND v_rule = s.rule
                        AND s.fires = (v_until IS NOT NULL OR s.job IS NOT NULL)
                   THEN s.rev ELSE goatherd.schedule_rev(s.rev, p_now) END
    WHERE o.id = p_id;
END
$$;

-- Versions that were silent for too long count no more.
CREATE FUNCTION goatherd.schedule_expire(p_app text, p_now double precision) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_id bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM goatherd.schedule s WHERE s.app = p_app AND s.until <= p_now) THEN
        RETURN;
    END IF;
    FOR v_id IN
        SELECT o.id FROM (
            SELECT s.id, s.name FROM goatherd.schedule s WHERE s.app = p_app AND s.until <= p_now OFFSET 0
        ) o ORDER BY o.name
    LOOP
        PERFORM FROM goatherd.schedule s WHERE s.id = v_id AND s.until + 0 <= p_now FOR UPDATE;
        CONTINUE WHEN NOT FOUND;
        DELETE FROM goatherd.schedule_version v WHERE v.schedule = v_id AND v.until <= p_now;
        PERFORM goatherd.schedule_count(v_id, p_now);
    END LOOP;
END
$$;

-- Somebody lives who has these rules.
CREATE FUNCTION goatherd.schedule_declare(
    p_app text, p_names text[], p_rules text[], p_alive double precision, p_now bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_now double precision := goatherd.schedule_clock(p_now);
    d record;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, v_now);
    FOR d IN
        SELECT a.name, a.rule, NULL::bigint AS id FROM unnest(p_names, p_rules) WITH ORDINALITY AS a (name, rule, at)
        ORDER BY a.name, a.at
    LOOP
        SELECT s.id INTO d.id FROM goatherd.schedule s WHERE s.name = d.name AND s.app = p_app FOR UPDATE;
        IF d.id IS NULL THEN
            INSERT INTO goatherd.schedule (app, name, rule) VALUES (p_app, d.name, d.rule) ON CONFLICT DO NOTHING;
            SELECT s.id INTO d.id FROM goatherd.schedule s WHERE s.name = d.name AND s.app = p_app FOR UPDATE;
        END IF;
        -- One that was forgotten at this very moment is declared the next time.
        CONTINUE WHEN d.id IS NULL;
        DELETE FROM goatherd.schedule_version v WHERE v.schedule = d.id AND v.until <= v_now;
        INSERT INTO goatherd.schedule_version AS v (schedule, rule, appeared, until)
        SELECT d.id, d.rule, 1 + coalesce(max(o.appeared), 0), v_now + p_alive
        FROM goatherd.schedule_version o WHERE o.schedule = d.id
        ON CONFLICT (schedule, rule) DO UPDATE SET until = greatest(v.until, excluded.until);
        PERFORM goatherd.schedule_count(d.id, v_now);
    END LOOP;
END
$$;

-- The time, and when the next of these schedules is due, or of those that send jobs.
CREATE FUNCTION goatherd.schedule_moment(
    p_app text, p_names text[], p_now bigint, OUT moment double precision, OUT next_at double precision
) LANGUAGE plpgsql AS $$
BEGIN
    moment := goatherd.schedule_clock(p_now);
    PERFORM goatherd.schedule_expire(p_app, moment);
    SELECT least(
        (SELECT min(s.due) FROM unnest(p_names) AS a (name) CROSS JOIN LATERAL (
            SELECT o.due FROM goatherd.schedule o WHERE o.name = a.name AND o.app = p_app AND o.due > moment OFFSET 0
         ) s),
        (SELECT s.due FROM goatherd.schedule s WHERE s.app = p_app AND s.job IS NOT NULL AND s.due > moment
         ORDER BY s.due LIMIT 1)
    ) INTO next_at;
END
$$;

-- Somebody sets a schedule.
CREATE FUNCTION goatherd.schedule_set(p_app text, p_name text, p_rule text, p_job bytea, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_now double precision := goatherd.schedule_clock(p_now);
    s goatherd.schedule;
    v_same boolean;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, v_now);
    -- Written in any case, so that nobody forgets it meanwhile.
    INSERT INTO goatherd.schedule AS o (app, name, rule) VALUES (p_app, p_name, p_rule)
    ON CONFLICT (name, app) DO UPDATE SET app = o.app RETURNING o.* INTO s;
    -- One that was taken back is another now.
    v_same := s.rule = p_rule AND (s.coded IS NOT NULL OR s.chosen IS NOT NULL);
    IF v_same AND s.chosen IS NOT DISTINCT FROM p_rule AND s.job IS NOT DISTINCT FROM p_job THEN
        RETURN;
    END IF;
    UPDATE goatherd.schedule o
    SET chosen = p_rule, rule = p_rule, job = p_job,
        paused = s.paused AND (s.coded IS NOT NULL OR s.chosen IS NOT NULL),
        next_at = CASE WHEN v_same THEN s.next_at END, awaits = s.awaits AND v_same,
        rev = goatherd.schedule_rev(s.rev, v_now)
    WHERE o.id = s.id;
END
$$;

-- Programs alone decide again.
CREATE FUNCTION goatherd.schedule_remove(p_app text, p_name text, p_now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_now double precision := goatherd.schedule_clock(p_now);
    s goatherd.schedule;
    v_rule text;
BEGIN
    PERFORM goatherd.schedule_expire(p_app, v_now);
    SELECT * INTO s FROM goatherd.schedule o WHERE o.name = p_name AND o.app = p_app FOR UPDATE;
    IF s.chosen IS NULL THEN
        RETURN false;
    END IF;
    v_rule := coalesce(s.coded, s.rule);
    UPDATE goatherd.schedule o
    SET chosen = NULL, job = NULL, rule = v_rule,
        next_at = CASE WHEN v_rule = s.rule THEN s.next_at END, awaits = s.awaits AND v_rule = s.rule,
        rev = goatherd.schedule_rev(s.rev, v_now)
    WHERE o.id = s.id;
    RETURN true;
END
$$;
