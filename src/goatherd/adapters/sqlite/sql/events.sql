-- name: find_tracked
-- One whose time is over is as good as gone, whether or not it has been cleared away.
SELECT id, former_epoch, former_seq, lineage, run, number,
       epoch, seq, status, attempt, stage, progress, result, error, message, traceback, closed
FROM tracked WHERE job = :job AND expires > :now;

-- name: detach
-- Free the job's name for a log that begins anew; what is left of the old one is cleared away bit by bit.
UPDATE tracked SET job = NULL, expires = 0 WHERE job = ?;

-- name: begin_log
INSERT INTO tracked (job, epoch, seq, attempt, lineage, run, number, expires) VALUES (?, ?, ?, 0, ?, '', 0, 0);

-- name: rename_log
UPDATE tracked SET former_epoch = epoch, former_seq = seq, epoch = :epoch, lineage = :lineage WHERE id = :id;

-- name: write_event
INSERT INTO event (tracked, seq, kind, body) VALUES (?, ?, ?, ?);

-- name: write_piece
INSERT INTO piece (tracked, seq, text) VALUES (?, ?, ?);

-- name: void_text
DELETE FROM piece WHERE tracked = ?;

-- name: note_append
UPDATE tracked
SET run = :run, number = :number, expires = :expires, seq = :seq, status = :status, attempt = :attempt, stage = :stage,
    progress = :progress, result = :result, error = :error, message = :message, traceback = :traceback, closed = :closed
WHERE id = :id;

-- name: trim_events
DELETE FROM event WHERE tracked = ? AND seq <= ?;

-- name: bells_of_job
SELECT watcher.doorbell FROM watch JOIN watcher ON watcher.id = watch.watcher WHERE watch.job = ?;

-- name: first_event
SELECT min(seq) FROM event WHERE tracked = ?;

-- name: events_after
SELECT seq, kind, body FROM event WHERE tracked = ? AND seq > ? ORDER BY seq LIMIT ?;

-- name: pieces
SELECT text FROM piece WHERE tracked = ? ORDER BY seq;

-- name: keep_job
UPDATE tracked SET expires = max(expires, :until) WHERE job = :job AND expires > :now;

-- name: first_expired
SELECT id FROM tracked WHERE expires <= :now ORDER BY expires LIMIT 1;

-- name: drop_events
DELETE FROM event WHERE tracked = :id
AND seq IN (SELECT seq FROM event WHERE tracked = :id ORDER BY seq LIMIT :limit);

-- name: drop_pieces
DELETE FROM piece WHERE tracked = :id
AND seq IN (SELECT seq FROM piece WHERE tracked = :id ORDER BY seq LIMIT :limit);

-- name: drop_tracked
DELETE FROM tracked WHERE id = ?;

-- name: add_watcher
INSERT INTO watcher (doorbell, seen) VALUES (:doorbell, :now);

-- name: known_watcher
SELECT 1 FROM watcher WHERE id = ?;

-- name: see_watcher
UPDATE watcher SET seen = :now WHERE id = :id;

-- name: drop_watcher
DELETE FROM watcher WHERE id = ?;

-- name: drop_silent_watchers
DELETE FROM watcher WHERE seen < :before RETURNING doorbell;

-- name: add_watch
INSERT OR IGNORE INTO watch (job, watcher) VALUES (:job, :watcher);

-- name: position_of_job
SELECT epoch, seq FROM tracked WHERE job = ?;

-- name: watched_positions
SELECT watch.job, tracked.epoch, tracked.seq FROM watch JOIN tracked ON tracked.job = watch.job WHERE watch.watcher = ?;

-- name: drop_watch
DELETE FROM watch WHERE job = :job AND watcher = :watcher;
