-- Jobs that users wrote down in their own transactions, to be sent when these are committed.

CREATE TABLE goatherd.outbox (
    place   bigint   GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- greater than those of all that were committed before
    app     text     COLLATE "C" NOT NULL,
    shard   smallint,                    -- the part of the lanes that it belongs to; NULL if it needs no order
    due     bigint   NOT NULL DEFAULT 0, -- not tried before: microseconds since the epoch
    tries   integer  NOT NULL DEFAULT 0, -- how often it was refused
    content bytea    NOT NULL
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_insert_scale_factor = 0.5, autovacuum_analyze_scale_factor = 0.5
);

CREATE INDEX outbox_loose ON goatherd.outbox (app, due, place) WHERE shard IS NULL;
CREATE INDEX outbox_lanes ON goatherd.outbox (app, shard, place) WHERE shard IS NOT NULL;

-- A part of the lanes in which something waits, and which nobody else has until the end of this transaction; NULL if
-- there is none. Looked for from `p_first` on, so that none is left for last each time. The lock is taken in this
-- statement and rows are read in the next one, which sees all that the lock's former holder did.
CREATE FUNCTION goatherd.outbox_shard(p_app text, p_lock integer, p_shards integer, p_first integer) RETURNS smallint
LANGUAGE plpgsql AS $$
DECLARE
    v_shard smallint;
BEGIN
    FOR n IN 0 .. p_shards - 1 LOOP
        v_shard := (p_first + n) % p_shards;
        CONTINUE WHEN NOT EXISTS (SELECT FROM goatherd.outbox o WHERE o.app = p_app AND o.shard = v_shard);
        IF pg_try_advisory_xact_lock(p_lock, v_shard) THEN
            RETURN v_shard;
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
