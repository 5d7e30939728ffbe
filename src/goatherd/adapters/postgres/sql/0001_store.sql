-- What everything else stands on: the schema, and which of these files it has seen.

CREATE SCHEMA IF NOT EXISTS goatherd;

CREATE TABLE goatherd.migration (
    number     integer     PRIMARY KEY,
    name       text        NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Which store this is, so that a connection of somebody else can be told from one to another database. It is a comment
-- because everyone may read those: looking for it can never fail in the middle of somebody's transaction.
DO $$
BEGIN
    EXECUTE format('COMMENT ON TABLE goatherd.migration IS %L', 'Goatherd store ' || gen_random_uuid());
END
$$;
