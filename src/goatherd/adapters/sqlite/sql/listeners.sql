-- name: hear_of_process
INSERT INTO listening_process (process, seen, until) VALUES (:process, :now, :now + :alive)
ON CONFLICT (process) DO UPDATE SET seen = excluded.seen, until = excluded.until;

-- name: forget_dead_processes
DELETE FROM listening_process WHERE until < :now;

-- name: write_listener
INSERT INTO listener (process, queue, pattern, condition, since, restarts, failures, why, last_delivery)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (process, queue) DO UPDATE SET
    pattern = excluded.pattern, condition = excluded.condition, since = excluded.since, restarts = excluded.restarts,
    failures = excluded.failures, why = excluded.why, last_delivery = excluded.last_delivery;

-- name: forget_listener
DELETE FROM listener WHERE process = ? AND queue = ?;

-- name: wanted_restarts
UPDATE listener SET wanted = 0 WHERE process = :process AND wanted RETURNING queue;

-- name: find_listeners
SELECT process, queue, pattern, condition, since, restarts, failures, why, last_delivery, :now - seen
FROM listener JOIN listening_process USING (process)
WHERE until >= :now
  AND (:pattern IS NULL OR pattern = :pattern)
  AND (NOT :unhealthy OR condition NOT IN ('running', 'paused', 'stopped'))
ORDER BY condition IN ('running', 'paused', 'stopped'), queue, process LIMIT :limit;

-- name: want_restart
UPDATE listener SET wanted = 1
WHERE queue = :queue AND process IN (SELECT process FROM listening_process WHERE until >= :now);

-- name: forget_process
DELETE FROM listening_process WHERE process = ?;
