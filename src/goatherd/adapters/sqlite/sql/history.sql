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
SELECT place, facet, task, queue, kind,
       epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed,
       at, created, queued_at, started_at, ended_at, key, arguments
FROM job_record JOIN history_facets USING (facet) WHERE job = ?;

-- name: write_record
INSERT INTO job_record
    (place, facet, job, epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed,
     at, created, queued_at, started_at, ended_at, key, arguments)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (place) DO NOTHING;

-- name: move_record
UPDATE job_record SET place = ? WHERE place = ?;

-- name: rewrite_record
UPDATE job_record SET
    (facet, epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed,
     at, created, queued_at, started_at, ended_at, key, arguments)
  = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
WHERE place = ?;

-- name: last_place
SELECT max(place) FROM job_record WHERE place >= ? AND place < ?;

-- name: add_facet
INSERT INTO history_facets (task, queue, kind) VALUES (?, ?, ?) RETURNING facet;

-- name: find_facet
SELECT facet FROM history_facets WHERE task = ? AND queue = ? AND kind = ?;

-- name: count_jobs
INSERT INTO history_counts (facet, status, jobs) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs;

-- name: drop_empty_counts
DELETE FROM history_counts WHERE facet = ? AND jobs = 0;

-- name: drop_empty_facets
DELETE FROM history_facets WHERE facet = ?1 AND NOT EXISTS (SELECT 1 FROM history_counts WHERE facet = ?1);

-- name: write_words
INSERT INTO history_words (rowid, words) VALUES (?, ?);

-- name: drop_words
DELETE FROM history_words WHERE rowid = ?;

-- name: drop_record
DELETE FROM job_record WHERE place = ?;

-- name: old_records
-- Nothing is heard of a job before it is accepted, so those behind that moment need not be looked at.
SELECT place, facet, status FROM job_record WHERE place < :place AND at < :before ORDER BY place LIMIT :limit;

-- name: oldest_records
SELECT place, facet, status FROM job_record ORDER BY place LIMIT :limit;

-- name: count_all
SELECT coalesce(sum(jobs), 0) FROM history_counts;
