-- Lanes: jobs that share a key, in order, and who has each lane. Times are microseconds since the epoch.
--
-- Who puts a job into a lane, perhaps in a long transaction of the user's own, locks the lane's tail; who takes jobs
-- from it locks its head. Neither waits for the other.

CREATE TABLE goatherd.lane_tail (
    app    text COLLATE "C" NOT NULL,
    lane   text COLLATE "C" NOT NULL,
    tail   bigint NOT NULL,               -- the seq of the last job that was put into it
    placed bigint NOT NULL,               -- how many were put into it
    PRIMARY KEY (app, lane)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

CREATE TABLE goatherd.lane_head (
    app       text COLLATE "C" NOT NULL,
    lane      text COLLATE "C" NOT NULL,
    -- Of its first job: whose workers may do it, and its seq.
    queue     text COLLATE "C" NOT NULL,
    seq       bigint  NOT NULL,
    -- ready, running, waiting or held; drained if no job is seen but one may be on its way in; empty if there is none,
    -- and only its numbers are kept until the clock is past them.
    condition text COLLATE "C" NOT NULL,
    turn      bigint  NOT NULL,           -- its place among the ready lanes of its queue
    due       bigint,                     -- when its lease runs out, its waiting ends, or it is looked at again
    since     bigint  NOT NULL,
    token     bigint  NOT NULL DEFAULT 0, -- of the last one who had it
    worker    text,
    deaths    integer NOT NULL DEFAULT 0,
    passed    bigint  NOT NULL DEFAULT 0, -- how many have left it
    burial    bytea,
    PRIMARY KEY (app, lane)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);

CREATE INDEX lane_head_ready ON goatherd.lane_head (app, queue, turn) WHERE condition = 'ready';
CREATE INDEX lane_head_due   ON goatherd.lane_head (app, due)         WHERE due IS NOT NULL;
CREATE INDEX lane_head_held  ON goatherd.lane_head (app, since)       WHERE condition = 'held';

CREATE SEQUENCE goatherd.lane_turn;

CREATE TABLE goatherd.lane_item (
    app          text COLLATE "C" NOT NULL,
    lane         text COLLATE "C" NOT NULL,
    seq          bigint NOT NULL,
    id           text   NOT NULL,
    queue        text COLLATE "C" NOT NULL,
    content      bytea  NOT NULL,
    on_exhausted text   NOT NULL,
    accepted     bigint NOT NULL,
    due          bigint,                  -- before it the lane waits for it
    PRIMARY KEY (app, lane, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Jobs that join the end of their lane when they are due.
CREATE TABLE goatherd.lane_later (
    app          text COLLATE "C" NOT NULL,
    place        bigint GENERATED ALWAYS AS IDENTITY,
    due          bigint NOT NULL,         -- when it is tried
    accepted     bigint NOT NULL,         -- when it was due
    lane         text COLLATE "C" NOT NULL,
    id           text   NOT NULL,
    queue        text   NOT NULL,
    content      bytea  NOT NULL,
    on_exhausted text   NOT NULL,
    PRIMARY KEY (app, due, place)
);

-- Jobs that left their lane and are on their way to the dead letters.
CREATE TABLE goatherd.lane_letter (
    app      text COLLATE "C" NOT NULL,
    place    bigint GENERATED ALWAYS AS IDENTITY,
    id       text   NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', ''),
    lane     text   NOT NULL,
    content  bytea  NOT NULL,
    accepted bigint NOT NULL,
    burial   bytea  NOT NULL,             -- why the job, or the one ahead of it, was given up
    behind   text,                        -- the id of the job ahead of it
    PRIMARY KEY (app, place),
    UNIQUE (app, id)
);

-- The last call of each sender and worker, and what was answered, for one that is repeated.
CREATE TABLE goatherd.lane_peer (
    app     text COLLATE "C" NOT NULL,
    peer    text COLLATE "C" NOT NULL,
    number  bigint NOT NULL,
    seen    bigint NOT NULL,
    answers text[],                       -- of an enqueue
    aheads  bigint[],
    settled boolean[],                    -- of an exchange
    lanes   text[],
    tokens  bigint[],
    -- When a worker has last looked for what is due, and the first turn that it found then.
    looked  bigint NOT NULL DEFAULT 0,
    floor   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (app, peer)
) WITH (fillfactor = 50, toast_tuple_target = 8160);

-- Ids that users chose, until they are forgotten.
CREATE TABLE goatherd.lane_name (
    app   text COLLATE "C" NOT NULL,
    id    text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (app, id)
);

CREATE INDEX lane_name_until ON goatherd.lane_name (app, until);

CREATE FUNCTION goatherd.clock(p_now bigint) RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT coalesce(p_now, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) $$;
