-- name: counted_report
SELECT number FROM process WHERE app = :app AND id = :id;

-- name: write_process
INSERT INTO process (app, id, host, started, seen, until, number, state)
VALUES (:app, :id, :host, :started, :now, :now + :alive, :number, :state)
ON CONFLICT (app, id) DO UPDATE SET
    host = excluded.host, started = excluded.started, seen = excluded.seen, until = excluded.until,
    number = max(process.number, excluded.number), state = excluded.state;

-- name: forget_silent_processes
DELETE FROM process WHERE until < :before;

-- name: add_throughput
INSERT INTO throughput (app, bucket, queue, sent, done, failed, retried, dead, stream_events)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (app, bucket, queue) DO UPDATE SET
    sent = sent + excluded.sent, done = done + excluded.done, failed = failed + excluded.failed,
    retried = retried + excluded.retried, dead = dead + excluded.dead,
    stream_events = stream_events + excluded.stream_events;

-- name: find_processes
SELECT state, :now - seen FROM process WHERE app = :app AND until >= :now ORDER BY host, started, id LIMIT :limit;

-- name: leave_for_good
DELETE FROM process WHERE app = :app AND id = :id;

-- name: sum_by_step
SELECT bucket / :step, sum(sent), sum(done), sum(failed), sum(retried), sum(dead), sum(stream_events)
FROM throughput
WHERE app = :app AND bucket >= :first AND bucket <= :last AND (:queue IS NULL OR queue = :queue)
GROUP BY 1;

-- name: sum_by_queue
SELECT queue, sum(sent), sum(done), sum(failed), sum(retried), sum(dead)
FROM throughput WHERE app = :app AND bucket >= :first AND bucket <= :last AND queue <> ''
GROUP BY queue;

-- name: prune_throughput
DELETE FROM throughput WHERE (app, bucket, queue) IN (
    SELECT app, bucket, queue FROM throughput WHERE app = :app AND bucket <= :last ORDER BY bucket LIMIT :limit
);

-- name: note_deed
INSERT INTO audit (app, id, at, who, role, address, action, target, details, outcome, words)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (app, id) DO NOTHING;

-- name: find_deeds
SELECT id, at, who, role, address, action, target, details, outcome
FROM audit
WHERE app = :app
  AND at >= coalesce(:since, -1e300) AND at < coalesce(:until, 1e300)
  AND (:before_at IS NULL OR (at, id) < (:before_at, :before_id))
  AND (:who IS NULL OR who = :who)
  AND (:action IS NULL OR action = :action)
  AND (:target IS NULL OR target = :target)
  AND (:text = '' OR instr(words, :text) > 0)
ORDER BY at DESC, id DESC LIMIT :limit;

-- name: prune_deeds
DELETE FROM audit WHERE (app, id) IN (
    SELECT app, id FROM audit WHERE app = :app AND at < :before ORDER BY at LIMIT :limit
);
