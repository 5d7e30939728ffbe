-- name: forget_addition_ids
DELETE FROM tally_id WHERE (tally, id) IN (SELECT tally, id FROM tally_id WHERE until <= ? ORDER BY until LIMIT ?);

-- name: remember_addition
-- Changes nothing if it is remembered.
INSERT INTO tally_id (tally, id, until) VALUES (:tally, :id, :until)
ON CONFLICT (tally, id) DO UPDATE SET until = excluded.until WHERE until <= :now;

-- name: add_to_key
INSERT INTO tally_key (tally, key, total, round)
VALUES (:tally, :key, :amount, coalesce((SELECT round FROM tally WHERE name = :tally), 0))
ON CONFLICT (tally, key) DO UPDATE SET
    round = CASE WHEN total <= 0 THEN excluded.round ELSE round END, total = total + excluded.total
RETURNING total;

-- name: drop_empty_key
DELETE FROM tally_key WHERE tally = ? AND key = ? AND total = 0 AND seq IS NULL;

-- name: tally_state
SELECT round, began, mark FROM tally WHERE name = ?;

-- name: set_tally_state
INSERT INTO tally (name, round, began, mark) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (name) DO UPDATE SET round = ?2, began = ?3, mark = ?4;

-- name: count_batches
SELECT count(*) FROM (SELECT 1 FROM tally_key WHERE tally = ? AND seq IS NOT NULL LIMIT ?);

-- name: keys_of_round
SELECT key FROM tally_key WHERE tally = ? AND round < ? AND total > 0 AND seq IS NULL ORDER BY round, key LIMIT ?;

-- name: set_total_apart
UPDATE tally_key SET seq = ?, apart = total, total = 0 WHERE tally = ? AND key = ?;

-- name: oldest_batches
SELECT key, seq, apart FROM tally_key WHERE tally = ? AND seq IS NOT NULL ORDER BY seq LIMIT ?;

-- name: drop_batch
UPDATE tally_key SET seq = NULL, apart = NULL WHERE tally = ? AND key = ? AND seq = ?;

-- name: sums_of_tally
SELECT total, apart FROM tally_key WHERE tally = ?;
