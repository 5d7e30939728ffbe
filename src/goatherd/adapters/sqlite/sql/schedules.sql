-- name: get_schedule
SELECT id, name, rule, coded, chosen, job, rev, until, paused, next_at, awaits, open, waiting, last_fired, last_ended,
       last_tick, newest, newest_end
FROM schedule WHERE name = ?;

-- name: get_schedule_by_id
SELECT id, name, rule, coded, chosen, job, rev, until, paused, next_at, awaits, open, waiting, last_fired, last_ended,
       last_tick, newest, newest_end
FROM schedule WHERE id = ?;

-- name: add_schedule
INSERT INTO schedule (name, rule, rev) VALUES (?, ?, 0) RETURNING id;

-- name: save_schedule
UPDATE schedule SET rule = :rule, coded = :coded, chosen = :chosen, job = :job, rev = :rev,
       until = :until, paused = :paused, next_at = :next_at, awaits = :awaits, open = :open, waiting = :waiting,
       last_fired = :last_fired, last_ended = :last_ended, last_tick = :last_tick, newest = :newest,
       newest_end = :newest_end
WHERE id = :id;

-- name: any_expired_schedule
SELECT 1 FROM schedule WHERE until <= ? LIMIT 1;

-- name: expired_schedules
SELECT name FROM schedule WHERE until <= ?;

-- name: drop_dead_versions
DELETE FROM schedule_version WHERE schedule = ? AND until <= ?;

-- name: add_version
INSERT INTO schedule_version (schedule, rule, appeared, until)
SELECT :schedule, :rule, 1 + coalesce(max(appeared), 0), :until FROM schedule_version WHERE schedule = :schedule
ON CONFLICT (schedule, rule) DO UPDATE SET until = max(until, excluded.until);

-- name: newest_version
SELECT rule, until FROM schedule_version WHERE schedule = ? ORDER BY appeared DESC LIMIT 1;

-- name: due_schedule
SELECT due, name, rule, rev, next_at, open, waiting, last_fired, last_ended, last_tick FROM schedule
WHERE name = ? AND due <= ?;

-- name: due_schedules_with_jobs
SELECT due, name, rule, rev, next_at, open, waiting, last_fired, last_ended, last_tick
FROM schedule INDEXED BY schedule_due_job WHERE job IS NOT NULL AND due <= ? ORDER BY due LIMIT ?;

-- name: next_moment_of_schedule
SELECT due FROM schedule WHERE name = ? AND due > ?;

-- name: next_moment_with_job
SELECT due FROM schedule INDEXED BY schedule_due_job WHERE job IS NOT NULL AND due > ? ORDER BY due LIMIT 1;

-- name: due_firings
SELECT place, name, tick, firing.id, state, triggered, firing.missed, fired, begun, ended, firing.job
FROM schedule JOIN schedule_firing AS firing INDEXED BY schedule_firing_due ON firing.schedule = schedule.id
WHERE name = ? AND state = 'due' ORDER BY place LIMIT ?;

-- name: due_firings_with_jobs
SELECT place, (SELECT name FROM schedule WHERE schedule.id = firing.schedule), tick, id, state, triggered, missed,
       fired, begun, ended, job
FROM schedule_firing AS firing INDEXED BY schedule_firing_job
WHERE state = 'due' AND job IS NOT NULL ORDER BY place LIMIT ?;

-- name: add_firing
INSERT INTO schedule_firing (schedule, tick, id, state, triggered, missed, fired, job) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING RETURNING place;

-- name: any_triggered_firing
SELECT 1 FROM schedule_firing WHERE schedule = ? AND tick = ? AND triggered = 1;

-- name: find_firing
SELECT place, schedule, state FROM schedule_firing WHERE id = ? AND id <> '';

-- name: get_firing
SELECT (SELECT name FROM schedule WHERE schedule.id = firing.schedule), tick, id, state, triggered, missed, fired,
       begun, ended, job
FROM schedule_firing AS firing WHERE place = ?;

-- name: begin_firing
UPDATE schedule_firing SET state = 'open', begun = ? WHERE place = ?;

-- name: end_firing
UPDATE schedule_firing SET state = ?, ended = ? WHERE place = ?;

-- name: oldest_waiting_firing
SELECT place FROM schedule_firing INDEXED BY schedule_firing_waiting
WHERE schedule = ? AND state = 'waiting' ORDER BY place LIMIT 1;

-- name: let_firing_be_due
UPDATE schedule_firing SET state = 'due' WHERE place = ?;

-- name: list_schedules
SELECT name, rule, chosen IS NOT NULL, job IS NOT NULL, until IS NOT NULL, paused, next_at, open, waiting, newest,
       newest_end
FROM schedule WHERE coded IS NOT NULL OR chosen IS NOT NULL ORDER BY name;

-- name: firings_of_schedule
SELECT name, tick, firing.id, state, triggered, firing.missed, fired, begun, ended, firing.job
FROM schedule JOIN schedule_firing AS firing INDEXED BY schedule_firing_history ON firing.schedule = schedule.id
WHERE name = ? ORDER BY place DESC LIMIT ?;

-- name: forget_firings
DELETE FROM schedule_firing WHERE place IN (
    SELECT place FROM schedule_firing AS firing INDEXED BY schedule_firing_over
    JOIN schedule ON schedule.id = firing.schedule
    WHERE over <= ? AND ((coded IS NULL AND chosen IS NULL)
                         OR (place IS NOT newest AND place IS NOT newest_end))
    ORDER BY over LIMIT ?
);

-- name: forget_removed_schedules
DELETE FROM schedule WHERE id IN (
    SELECT id FROM schedule AS removed INDEXED BY schedule_removed
    WHERE coded IS NULL AND chosen IS NULL
      AND NOT EXISTS (SELECT 1 FROM schedule_firing WHERE schedule = removed.id) LIMIT ?
);
