-- name: feed_event
INSERT INTO feed (job, epoch, seq, kind, body, at) VALUES (?, ?, ?, ?, ?, ?);

-- name: feed_routed
SELECT router <> '' FROM feed_holder;

-- name: trim_feed
-- Ids grow with every event, so what is so far behind the newest is beyond the limit, whatever was settled.
DELETE FROM feed WHERE id <= (SELECT max(id) FROM feed) - ?;

-- name: count_dropped
UPDATE feed_holder SET dropped = dropped + ?;

-- name: look_at_feed
-- Who holds it and until when, and whether something waits.
SELECT router, until, EXISTS (SELECT 1 FROM feed WHERE taken IS NULL) FROM feed_holder;

-- name: hold_feed
UPDATE feed_holder SET router = :router, until = :until;

-- name: let_go_of_feed
UPDATE feed_holder SET until = 0 WHERE router = :router;

-- name: untake
-- What another holder had taken is given again, first of all.
UPDATE feed SET taken = NULL WHERE taken IS NOT NULL;

-- name: take
UPDATE feed SET taken = :now
WHERE id IN (SELECT id FROM feed WHERE taken IS NULL ORDER BY id LIMIT :limit)
RETURNING id, job, epoch, seq, kind, body, at;

-- name: retake
UPDATE feed SET taken = :now
WHERE id IN (SELECT id FROM feed WHERE taken <= :before ORDER BY id LIMIT :limit)
RETURNING id, job, epoch, seq, kind, body, at;

-- name: settle
DELETE FROM feed WHERE id = ?;

-- name: feed_lag
SELECT count(*) FILTER (WHERE taken IS NULL), count(*) FILTER (WHERE taken IS NOT NULL),
       min(at) FILTER (WHERE taken IS NULL), (SELECT dropped FROM feed_holder)
FROM feed;

-- name: find_record
SELECT epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed,
       at, queued_at, started_at, ended_at
FROM history WHERE job = ?;

-- name: write_record
INSERT OR REPLACE INTO history
    (job, epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed,
     at, queued_at, started_at, ended_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_records
DELETE FROM history WHERE job IN (SELECT job FROM history WHERE at < :before ORDER BY at LIMIT :limit);
