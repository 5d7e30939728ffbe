-- Which processes do something for an app, as they tell of themselves, what all of them do, and what operators did.
-- Times of the store are microseconds since the epoch; those that a process or an operator tells are seconds.

CREATE TABLE goatherd.process (
    app     text             COLLATE "C" NOT NULL,
    id      text             COLLATE "C" NOT NULL,
    host    text             COLLATE "C" NOT NULL,
    started double precision NOT NULL,
    seen    bigint           NOT NULL,
    until   bigint           NOT NULL,  -- it is taken for dead afterwards
    number  bigint           NOT NULL,  -- of the last report that was counted
    state   bytea            NOT NULL,  -- the rest, as JSON
    PRIMARY KEY (app, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- What all processes counted together, in spans of ten seconds.
CREATE TABLE goatherd.throughput (
    app           text   COLLATE "C" NOT NULL,
    bucket        bigint NOT NULL,
    queue         text   COLLATE "C" NOT NULL,  -- or the pattern of many; empty: events of streams
    sent          bigint NOT NULL,
    done          bigint NOT NULL,
    failed        bigint NOT NULL,
    retried       bigint NOT NULL,
    dead          bigint NOT NULL,
    stream_events bigint NOT NULL,
    PRIMARY KEY (app, bucket, queue)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE TABLE goatherd.audit (
    app     text             COLLATE "C" NOT NULL,
    id      text             COLLATE "C" NOT NULL,
    at      double precision NOT NULL,
    who     text             NOT NULL,
    role    text             NOT NULL,
    address text             NOT NULL,
    action  text             NOT NULL,
    target  text             NOT NULL,
    details bytea            NOT NULL,  -- JSON
    outcome text             NOT NULL,
    words   text             NOT NULL,  -- what is searched
    PRIMARY KEY (app, id)
);

CREATE INDEX audit_at ON goatherd.audit (app, at, id);

-- A process lives and stands so. What it counted is added once for each number, however often the report comes.
CREATE FUNCTION goatherd.process_report(
    p_app text, p_id text, p_host text, p_started double precision, p_alive bigint, p_remembered bigint, p_now bigint,
    p_number bigint, p_state bytea, p_agos bigint[], p_queues text[], p_sent bigint[], p_done bigint[],
    p_failed bigint[], p_retried bigint[], p_dead bigint[], p_events bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_now     bigint := goatherd.clock(p_now);
    v_counted bigint;
BEGIN
    -- The row's lock lets a report that comes twice at the same moment be counted once.
    INSERT INTO goatherd.process (app, id, host, started, seen, until, number, state)
    VALUES (p_app, p_id, p_host, p_started, v_now, v_now, 0, p_state) ON CONFLICT DO NOTHING;
    SELECT number INTO v_counted FROM goatherd.process WHERE app = p_app AND id = p_id FOR UPDATE;
    UPDATE goatherd.process SET
        host = p_host, started = p_started, seen = v_now, until = v_now + p_alive,
        number = greatest(number, p_number), state = p_state
    WHERE app = p_app AND id = p_id;

    -- Several processes may find the same one silent at the same moment.
    DELETE FROM goatherd.process d WHERE d.ctid = ANY (ARRAY(
        SELECT o.ctid FROM goatherd.process o WHERE o.until < v_now - p_remembered FOR UPDATE SKIP LOCKED
    ));

    IF coalesce(v_counted, 0) < p_number THEN
        -- Always in one order, so that no two processes wait for each other.
        INSERT INTO goatherd.throughput (app, bucket, queue, sent, done, failed, retried, dead, stream_events)
        SELECT p_app, v_now / 10000000 - told.ago, told.queue, told.sent, told.done, told.failed, told.retried,
               told.dead, told.events
        FROM unnest(p_agos, p_queues, p_sent, p_done, p_failed, p_retried, p_dead, p_events)
             AS told (ago, queue, sent, done, failed, retried, dead, events)
        ORDER BY told.ago DESC, told.queue
        ON CONFLICT (app, bucket, queue) DO UPDATE SET
            sent = throughput.sent + excluded.sent, done = throughput.done + excluded.done,
            failed = throughput.failed + excluded.failed, retried = throughput.retried + excluded.retried,
            dead = throughput.dead + excluded.dead, stream_events = throughput.stream_events + excluded.stream_events;
    END IF;
END
$$;
