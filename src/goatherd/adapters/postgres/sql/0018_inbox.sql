-- Commands from outside, from the moment they are seen until they are jobs and gone from their source, and a while on.
-- Times are microseconds since the epoch.

CREATE TABLE goatherd.command (
    seq     bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app     text    COLLATE "C" NOT NULL,
    inbox   text    COLLATE "C" NOT NULL,
    key     text    COLLATE "C" NOT NULL,
    body    bytea   NOT NULL,                  -- empty when it is sent
    digest  text    NOT NULL,
    stored  bigint  NOT NULL,
    place   integer NOT NULL,                  -- among those that were stored with it
    held    bigint  NOT NULL,                  -- somebody has it in hand until then
    sent    boolean NOT NULL DEFAULT false,
    removed boolean NOT NULL DEFAULT false,
    UNIQUE (app, inbox, key)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE INDEX command_unfinished ON goatherd.command (app, inbox, stored, place) WHERE NOT (sent AND removed);
CREATE INDEX command_stored ON goatherd.command (app, stored);

-- Put commands on record; gives how each stands, in the order given, and whether it is new.
CREATE FUNCTION goatherd.command_store(
    p_app text, p_inbox text, p_keys text[], p_bodies bytea[], p_digests text[], p_hold bigint, p_now bigint
) RETURNS TABLE (body bytea, digest text, sent boolean, removed boolean, ours boolean)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_now bigint := goatherd.clock(p_now);
    v_new text[];
BEGIN
    -- In order, so that of two who were told of the same ones neither waits for the other.
    WITH given AS (
        SELECT DISTINCT ON (a.key) a.key, a.body, a.digest, a.at
        FROM unnest(p_keys, p_bodies, p_digests) WITH ORDINALITY AS a (key, body, digest, at) ORDER BY a.key, a.at
    ), added AS (
        INSERT INTO goatherd.command AS c (app, inbox, key, body, digest, stored, place, held)
        SELECT p_app, p_inbox, g.key, g.body, g.digest, v_now, g.at, v_now + p_hold FROM given g ORDER BY g.key
        ON CONFLICT (app, inbox, key) DO NOTHING
        RETURNING c.key
    )
    SELECT array_agg(n.key) INTO v_new FROM added n;
    -- Another statement, which sees those that the first one waited for.
    RETURN QUERY
    SELECT c.body, c.digest, c.sent, c.removed,
           c.key = ANY (coalesce(v_new, '{}')) AND NOT EXISTS (
               SELECT 1 FROM unnest(p_keys) WITH ORDINALITY AS e (key, at) WHERE e.key = a.key AND e.at < a.at)
    FROM unnest(p_keys) WITH ORDINALITY AS a (key, at)
    JOIN goatherd.command c ON c.app = p_app AND c.inbox = p_inbox AND c.key = a.key
    ORDER BY a.at;
END
$$;
