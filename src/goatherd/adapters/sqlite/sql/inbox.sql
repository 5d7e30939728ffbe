-- name: store_command
INSERT INTO command (inbox, key, body, digest, stored, held)
VALUES (:inbox, :key, :body, :digest, :now, :now + :hold) ON CONFLICT DO NOTHING;

-- name: find_command
SELECT body, digest, sent, removed FROM command WHERE inbox = ? AND key = ?;

-- name: unheld_commands
SELECT seq, key, body, digest, sent, removed FROM command
WHERE inbox = :inbox AND (sent = 0 OR removed = 0) AND held <= :now ORDER BY seq LIMIT :limit;

-- name: hold_command
UPDATE command SET held = ? WHERE seq = ?;

-- name: command_sent
UPDATE command SET sent = 1, body = x'' WHERE inbox = ? AND key = ?;

-- name: command_removed
UPDATE command SET removed = 1 WHERE inbox = ? AND key = ?;

-- name: forget_commands
DELETE FROM command WHERE seq IN (
    SELECT seq FROM command WHERE stored <= :before AND sent = 1 AND removed = 1 ORDER BY stored LIMIT :limit
);
