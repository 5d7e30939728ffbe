-- name: forget_unique
-- What is over is forgotten, some at a time.
DELETE FROM unique_key WHERE key IN (SELECT key FROM unique_key WHERE until <= :now ORDER BY until LIMIT 20);

-- name: take_unique
INSERT INTO unique_key (key, job, sender, until) VALUES (:key, :job, :sender, :until)
ON CONFLICT (key) DO UPDATE SET job = excluded.job, sender = excluded.sender, until = excluded.until
WHERE until <= :now OR (sender = excluded.sender AND sender <> '');

-- name: find_unique
SELECT job, sender FROM unique_key WHERE key = ?;

-- name: keep_unique
UPDATE unique_key SET sender = '', until = ? WHERE key = ? AND sender = ?;

-- name: give_up_unique
DELETE FROM unique_key WHERE key = ? AND sender = ?;

-- name: release_unique
DELETE FROM unique_key WHERE key = ? AND job = ?;

-- name: release_uniques_of
DELETE FROM unique_key WHERE job = ?;
