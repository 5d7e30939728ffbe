-- name: lane_mark
SELECT mark, turn FROM lane_mark;

-- name: set_lane_mark
INSERT INTO lane_mark (one, mark, turn) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET mark = ?1, turn = ?2;

-- name: enter_lane
-- No row comes back if the lane is full.
INSERT INTO lane (key, queue, condition, head, tail, length, token, turn, since, due)
VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5, ?6, ?7, ?8)
ON CONFLICT (key) DO UPDATE SET tail = max(tail + 1, ?9), length = length + 1 WHERE ?10 IS NULL OR length < ?10
RETURNING id, tail, length;

-- name: add_lane_job
INSERT INTO lane_job (lane, seq, id, queue, content, on_exhausted, accepted, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_later
INSERT INTO lane_later (due, key, job, queue, content, on_exhausted) VALUES (?, ?, ?, ?, ?, ?);

-- name: due_later
SELECT id, due, key, job, queue, content, on_exhausted FROM lane_later WHERE due <= ? ORDER BY due, id LIMIT ?;

-- name: drop_later
DELETE FROM lane_later WHERE id = ?;

-- name: is_named
SELECT 1 FROM lane_named WHERE id = ? AND until > ?;

-- name: name_lane_job
INSERT OR REPLACE INTO lane_named (id, until) VALUES (?, ?);

-- name: forget_names
DELETE FROM lane_named WHERE id IN (SELECT id FROM lane_named WHERE until <= ? ORDER BY until LIMIT ?);

-- name: last_call
SELECT number, answer FROM lane_peer WHERE name = ?;

-- name: note_call
INSERT INTO lane_peer (name, number, answer, seen) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (name) DO UPDATE SET number = ?2, answer = ?3, seen = ?4;

-- name: forget_peers
DELETE FROM lane_peer WHERE name IN (SELECT name FROM lane_peer WHERE seen <= ? ORDER BY seen LIMIT ?);

-- name: due_lanes
SELECT condition, id, key, queue, head, tail, length, token, turn, deaths FROM lane WHERE due <= ? ORDER BY due LIMIT ?;

-- name: next_due
SELECT (SELECT min(due) FROM lane WHERE due IS NOT NULL), (SELECT min(due) FROM lane_later),
       EXISTS (SELECT 1 FROM lane_letter);

-- name: ready_heads
SELECT lane.id, lane.key, lane.token, lane.head, lane_job.id, lane_job.queue, lane_job.content, lane_job.on_exhausted,
       lane_job.accepted, lane.deaths
FROM lane JOIN lane_job ON lane_job.lane = lane.id AND lane_job.seq = lane.head
WHERE lane.queue = ? AND lane.condition = 'ready' ORDER BY lane.turn LIMIT ?;

-- name: any_ready
SELECT 1 FROM lane WHERE queue = ? AND condition = 'ready' LIMIT 1;

-- name: count_ready
-- Looks into the index alone, and at no more than it may count.
SELECT count(*) FROM (SELECT 1 FROM lane WHERE queue = ? AND condition = 'ready' LIMIT ?);

-- name: next_ready_since
SELECT since FROM lane WHERE queue = ? AND condition = 'ready' ORDER BY turn LIMIT 1;

-- name: overdue_lanes
SELECT queue, key, due FROM lane WHERE due <= ? ORDER BY due LIMIT ?;

-- name: overdue_later
SELECT queue, key, due FROM lane_later WHERE due <= ? ORDER BY due, id LIMIT ?;

-- name: take_lane
UPDATE lane SET condition = 'running', token = ?, worker = ?, since = ?, due = ? WHERE id = ?;

-- name: taken_head
SELECT lane_job.id, lane_job.queue, lane_job.content, lane_job.on_exhausted, lane_job.accepted, lane.deaths
FROM lane JOIN lane_job ON lane_job.lane = lane.id AND lane_job.seq = lane.head
WHERE lane.key = ? AND lane.token = ? AND lane.head = ? AND lane.condition = 'running';

-- name: prolong
UPDATE lane SET due = ? WHERE key = ? AND token = ? AND head = ? AND condition = 'running';

-- name: running_lane
SELECT id, key, queue, head, tail, length, token, turn, deaths FROM lane
WHERE key = ? AND token = ? AND head = ? AND condition = 'running';

-- name: resting_lane
SELECT id, key, queue, head, tail, length, token, turn, deaths FROM lane
WHERE key = ? AND condition IN ('held', 'waiting');

-- name: lane_of_any_worker
SELECT id, key, queue, head, tail, length, token, turn, deaths FROM lane WHERE key = ? AND condition = 'running';

-- name: drop_lane_job
DELETE FROM lane_job WHERE lane = ? AND seq = ?;

-- name: first_lane_job
SELECT seq, queue, due FROM lane_job WHERE lane = ? ORDER BY seq LIMIT 1;

-- name: drop_lane
DELETE FROM lane WHERE id = ?;

-- name: next_head
UPDATE lane SET head = ?, queue = ?, condition = ?, turn = ?, due = ?, since = ?, length = length - 1, worker = NULL,
                deaths = 0, burial = NULL
WHERE id = ?;

-- name: make_lane_ready
UPDATE lane SET condition = 'ready', turn = ?, since = ?, deaths = ?, due = NULL, worker = NULL, burial = NULL
WHERE id = ?;

-- name: let_lane_wait
UPDATE lane SET condition = 'waiting', since = ?, due = ?, worker = NULL, deaths = 0 WHERE id = ?;

-- name: hold_lane
UPDATE lane SET condition = 'held', since = ?, burial = ?, due = NULL, worker = NULL WHERE id = ?;

-- name: change_content
UPDATE lane_job SET content = ? WHERE lane = ? AND seq = ?;

-- name: head_of_lane
SELECT id, on_exhausted FROM lane_job WHERE lane = ? AND seq = ?;

-- name: seqs_of_lane
SELECT seq FROM lane_job WHERE lane = ? ORDER BY seq;

-- name: add_lane_letter
INSERT INTO lane_letter (letter, key, content, accepted, burial)
SELECT ?, ?, content, accepted, ? FROM lane_job WHERE lane = ? AND seq = ?;

-- name: drop_lane_jobs
DELETE FROM lane_job WHERE lane = ?;

-- name: lane_letters
SELECT letter, key, content, accepted, burial FROM lane_letter ORDER BY id LIMIT ?;

-- name: drop_lane_letter
DELETE FROM lane_letter WHERE letter = ?;

-- name: find_held_lanes
SELECT lane.key, condition, length, lane.queue, lane_job.id, since, lane.due, worker, deaths, burial
FROM lane JOIN lane_job ON lane_job.lane = lane.id AND lane_job.seq = lane.head
WHERE condition = 'held' AND instr(lane.key, :containing) > 0 ORDER BY since, lane.id LIMIT :limit;

-- name: find_other_lanes
-- Looks at every lane, and only then at the heads of those that are told.
WITH found AS (
    SELECT id FROM lane
    WHERE condition <> 'held' AND (:condition IS NULL OR condition = :condition) AND instr(key, :containing) > 0
    ORDER BY since, id LIMIT :limit
)
SELECT lane.key, condition, length, lane.queue, lane_job.id, since, lane.due, worker, deaths, burial
FROM found JOIN lane ON lane.id = found.id JOIN lane_job ON lane_job.lane = lane.id AND lane_job.seq = lane.head
ORDER BY since, lane.id;

-- name: find_timed_lanes
-- The same for those that are being done or wait, of which there are fewer.
SELECT lane.key, condition, length, lane.queue, lane_job.id, since, lane.due, worker, deaths, burial
FROM lane INDEXED BY lane_due JOIN lane_job ON lane_job.lane = lane.id AND lane_job.seq = lane.head
WHERE lane.due IS NOT NULL AND condition = :condition AND instr(lane.key, :containing) > 0
ORDER BY since, lane.id LIMIT :limit;

-- name: get_lane
SELECT lane.key, condition, length, lane.queue, lane_job.id, since, lane.due, worker, deaths, burial
FROM lane JOIN lane_job ON lane_job.lane = lane.id AND lane_job.seq = lane.head WHERE lane.key = ?;

-- name: jobs_of_lane
SELECT seq, id, queue, content, accepted FROM lane_job
WHERE lane = (SELECT id FROM lane WHERE key = ?) ORDER BY seq LIMIT ?;
