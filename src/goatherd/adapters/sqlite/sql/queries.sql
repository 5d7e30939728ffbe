-- name: find_queue
SELECT id, ttl, max_length, announces_to FROM queue WHERE name = :name;

-- name: make_queue
INSERT INTO queue (name, ttl, max_length, announces_to) VALUES (:name, :ttl, :max_length, :announces_to);

-- name: make_reply_queue
INSERT INTO queue (name, keep) VALUES (:name, :keep);

-- name: drop_queue
DELETE FROM queue WHERE id = ?;

-- name: drop_subscriptions
DELETE FROM subscription WHERE queue = ?;

-- name: drop_jobs
DELETE FROM job WHERE queue = ?;

-- name: note_abandoned
-- Queues for answers to which nobody listens any more, and those which have a listener again.
UPDATE queue SET abandoned = iif(abandoned IS NULL, :now, NULL)
WHERE keep IS NOT NULL AND (abandoned IS NULL) <> EXISTS (SELECT 1 FROM subscription WHERE queue = queue.id);

-- name: abandoned_queues
SELECT id FROM queue WHERE keep IS NOT NULL AND abandoned + keep < :now;

-- name: announce_to
-- A program that wants to hear of dead letters adds itself to a queue that others made without it.
UPDATE queue SET announces_to = :announces_to WHERE id = :queue AND announces_to IS NULL;

-- name: publish
INSERT INTO job (queue, id, task, priority, body, headers, accepted, due, expires, stale, reply_to, correlation_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: bells_of_queue
SELECT worker.doorbell FROM subscription JOIN worker ON worker.id = subscription.worker WHERE subscription.queue = ?;

-- name: all_bells
SELECT doorbell FROM worker;

-- name: look
-- Whether this worker is still registered, when the next delayed job falls due or waiting one expires, and whether
-- somebody has given up a call.
SELECT (SELECT 1 FROM worker WHERE id = ?),
       (SELECT min(due) FROM job WHERE due IS NOT NULL),
       (SELECT min(stale) FROM job WHERE stale IS NOT NULL AND owner IS NULL),
       EXISTS (SELECT 1 FROM call_off);

-- name: call_off_waiting
DELETE FROM job WHERE queue = :queue AND id = :job AND owner IS NULL;

-- name: call_off_claimed
INSERT INTO call_off (worker, job)
SELECT owner, id FROM job WHERE owner IS NOT NULL AND queue = :queue AND id = :job;

-- name: call_off_anywhere
INSERT INTO call_off (worker, job) SELECT owner, id FROM job WHERE owner IS NOT NULL AND id = :job;

-- name: call_off_elsewhere
INSERT INTO call_off (worker, job) SELECT worker, :job FROM subscription WHERE queue = :queue;

-- name: called_off
DELETE FROM call_off WHERE worker = ? RETURNING job;

-- name: make_ready
-- How long a job has waited is counted from when it could have been done.
UPDATE job SET accepted = due, due = NULL WHERE due <= :now;

-- name: claim
-- Highest priority first, then oldest; a paused queue gives nothing.
UPDATE job SET owner = :worker
WHERE seq IN (
    SELECT seq FROM job
    WHERE queue = :queue AND owner IS NULL AND due IS NULL
      AND NOT EXISTS (SELECT 1 FROM queue WHERE id = :queue AND paused)
    ORDER BY priority DESC, seq LIMIT :limit
)
RETURNING seq, id, task, priority, body, headers, accepted, expires, deaths, reply_to, correlation_id;

-- name: queues_with_jobs
-- Jumps from queue to queue in the index, so that it does not matter how many jobs wait in one.
WITH RECURSIVE waiting (queue) AS (
    SELECT min(queue) FROM job WHERE owner IS NULL AND due IS NULL
    UNION ALL
    SELECT (SELECT min(queue) FROM job WHERE owner IS NULL AND due IS NULL AND queue > waiting.queue)
    FROM waiting WHERE waiting.queue IS NOT NULL
)
SELECT queue FROM waiting WHERE queue IS NOT NULL;

-- name: ack
DELETE FROM job WHERE seq = ? AND owner = ?;

-- name: hand_back
UPDATE job SET owner = NULL WHERE seq = ? AND owner = ?;

-- name: replace
-- The values of `publish`, but for the seventh: when it was accepted stays as it was.
UPDATE job
SET queue = ?1, id = ?2, task = ?3, priority = ?4, body = ?5, headers = ?6, due = ?8, expires = ?9, stale = ?10,
    reply_to = ?11, correlation_id = ?12, owner = NULL
WHERE seq = ?13 AND owner = ?14;

-- name: bury_claimed
INSERT INTO dead_letter (id, queue, job_id, task, priority, body, headers, accepted,
                         reason, error_type, message, traceback, attempts, failed_at)
SELECT :letter, queue.name, job.id, job.task, job.priority, job.body, job.headers, job.accepted,
       :reason, :error_type, :message, :traceback, :attempts, :failed_at
FROM job JOIN queue ON queue.id = job.queue WHERE job.seq = :seq AND job.owner = :worker;

-- name: expired
SELECT seq FROM job WHERE stale <= :now AND owner IS NULL AND stale IS NOT NULL;

-- name: bury_waiting
INSERT INTO dead_letter (id, queue, job_id, task, priority, body, headers, accepted,
                         reason, error_type, message, traceback, attempts, failed_at)
SELECT :letter, queue.name, job.id, job.task, job.priority, job.body, job.headers, job.accepted,
       :reason, :error_type, :message, '', :attempts, :failed_at
FROM job JOIN queue ON queue.id = job.queue WHERE job.seq = :seq;

-- name: keep_letter
-- A letter that was no job here; one that is kept already stays as it is.
INSERT INTO dead_letter (id, queue, job_id, task, priority, body, headers, accepted,
                         reason, error_type, message, traceback, attempts, failed_at)
VALUES (:letter, :queue, :job_id, :task, :priority, :body, :headers, :accepted,
        :reason, :error_type, :message, :traceback, :attempts, :failed_at)
ON CONFLICT (id) DO NOTHING;

-- name: announce_kept
-- The same as announce, for a letter that was no job here; tells which queue listens.
INSERT INTO job (queue, id, task, priority, body, accepted)
SELECT listening.id, :letter, '', 0, CAST(json_object('letter', :letter) AS BLOB), :now
FROM queue JOIN queue AS listening ON listening.name = queue.announces_to WHERE queue.name = :queue
RETURNING queue;

-- name: headers_of
SELECT headers FROM job WHERE seq = ?;

-- name: remove
DELETE FROM job WHERE seq = ?;

-- name: announce
-- Tell the queue that listens for dead letters of this job's queue, if there is one.
INSERT INTO job (queue, id, task, priority, body, accepted)
SELECT listening.id, :letter, '', 0, CAST(json_object('letter', :letter) AS BLOB), :now
FROM job JOIN queue ON queue.id = job.queue JOIN queue AS listening ON listening.name = queue.announces_to
WHERE job.seq = :seq;

-- name: waiting
SELECT count(*) FROM job WHERE queue = :queue AND owner IS NULL AND due IS NULL;

-- name: oldest_waiting
SELECT seq FROM job WHERE queue = :queue AND owner IS NULL AND due IS NULL ORDER BY seq LIMIT :limit;

-- name: purge
DELETE FROM job WHERE queue = (SELECT id FROM queue WHERE name = :name) AND owner IS NULL;

-- name: queue_states
SELECT queue.name,
       (SELECT count(*) FROM job WHERE queue = queue.id AND owner IS NULL AND due IS NULL),
       (SELECT count(*) FROM job WHERE queue = queue.id AND due IS NOT NULL),
       (SELECT count(*) FROM job WHERE queue = queue.id AND owner IS NOT NULL),
       (SELECT count(*) FROM subscription WHERE subscription.queue = queue.id),
       (SELECT accepted FROM job WHERE queue = queue.id AND owner IS NULL AND due IS NULL ORDER BY seq LIMIT 1),
       (SELECT count(*) FROM dead_letter WHERE dead_letter.queue = queue.name),
       queue.paused
FROM queue
WHERE queue.keep IS NULL OR queue.name IN (SELECT value FROM json_each(:also)) ORDER BY queue.name;

-- name: set_paused
UPDATE queue SET paused = :paused WHERE name = :name;

-- name: paused
SELECT name FROM queue WHERE paused;

-- name: count_letters
SELECT count(*) FROM dead_letter;

-- name: find_letters
SELECT seq, id, queue, job_id, task, priority, body, headers, accepted,
       reason, error_type, message, traceback, attempts, failed_at
FROM dead_letter
WHERE seq > :after
  AND (:queue IS NULL OR queue = :queue)
  AND (:task IS NULL OR task = :task)
  AND (:error IS NULL OR instr(lower(error_type || ' ' || message), lower(:error)) > 0)
  AND (:failed_before IS NULL OR failed_at <= :failed_before)
ORDER BY seq LIMIT :limit;

-- name: get_letter
SELECT seq, id, queue, job_id, task, priority, body, headers, accepted,
       reason, error_type, message, traceback, attempts, failed_at
FROM dead_letter WHERE id = :id;

-- name: discard_letter
DELETE FROM dead_letter WHERE id = ?;

-- name: register
INSERT INTO worker (name, host, pid, doorbell, started, seen) VALUES (:name, :host, :pid, :doorbell, :now, :now);

-- name: unregister
DELETE FROM worker WHERE id = ? RETURNING pid;

-- name: beat
UPDATE worker SET seen = :now WHERE id = :worker;

-- name: other_workers
SELECT id, name, pid, doorbell, seen FROM worker WHERE id IS NOT :worker;

-- name: subscribe
INSERT OR IGNORE INTO subscription (queue, worker) VALUES (:queue, :worker);

-- name: unsubscribe
DELETE FROM subscription WHERE queue = :queue AND worker = :worker;

-- name: count_deaths
UPDATE job SET deaths = deaths + 1 WHERE owner = :worker AND seq IN (SELECT value FROM json_each(:running));

-- name: release
UPDATE job SET owner = NULL WHERE owner = ?;

-- name: release_orphans
UPDATE job SET owner = NULL WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM worker);

-- name: workers
SELECT worker.name, host, pid, started, seen, json_group_array(queue.name) FILTER (WHERE queue.name IS NOT NULL)
FROM worker LEFT JOIN subscription ON subscription.worker = worker.id LEFT JOIN queue ON queue.id = subscription.queue
GROUP BY worker.id ORDER BY worker.id;
