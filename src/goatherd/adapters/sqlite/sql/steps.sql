-- name: add_run
INSERT INTO run (name, pipeline, input, trace, priority, created) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO NOTHING RETURNING id;

-- name: add_step
INSERT INTO run_unit (run, step, item, pipeline, place, state, round, token, accepted, tell, missing)
VALUES (?1, ?2, -1, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9);

-- name: get_run
SELECT id, name, pipeline, state, trace, priority, created, ended FROM run WHERE name = ?;

-- name: get_unit
SELECT id, item, place, state, phase, size, content, failures, deaths, trouble, round, token, settled, lease, accepted,
       total
FROM run_unit WHERE run = ? AND step = ? AND item = ?;

-- name: due_turns
SELECT unit.id, run.name, unit.step, item, run.pipeline, size, content, phase, failures, tellings, unit.trouble, trace,
       priority, created, round, tell
FROM run_unit AS unit INDEXED BY run_unit_tell JOIN run ON run.id = unit.run
WHERE unit.pipeline = ? AND tell <= ? ORDER BY tell LIMIT ?;

-- name: any_due_turn
SELECT 1 FROM run_unit INDEXED BY run_unit_tell WHERE pipeline = ? AND tell <= ? LIMIT 1;

-- name: note_telling
UPDATE run_unit SET tell = ?, tellings = tellings + 1 WHERE id = ?;

-- name: postpone_unit
-- Workers were not told of it after all.
UPDATE run_unit SET tell = ?1, tellings = max(0, tellings - 1)
WHERE run = (SELECT id FROM run WHERE name = ?2) AND step = ?3 AND item = ?4 AND tell IS NOT NULL;

-- name: next_moment
SELECT (SELECT min(tell) FROM run_unit INDEXED BY run_unit_tell WHERE tell IS NOT NULL),
       (SELECT min(lease) FROM run_unit INDEXED BY run_unit_lease WHERE lease IS NOT NULL);

-- name: any_lost_unit
SELECT 1 FROM run_unit INDEXED BY run_unit_lease WHERE lease <= ? LIMIT 1;

-- name: lost_units
SELECT unit.id, run.state FROM run_unit AS unit INDEXED BY run_unit_lease JOIN run ON run.id = unit.run
WHERE lease <= ? ORDER BY lease LIMIT ?;

-- name: reap_unit
UPDATE run_unit
SET state = 'ready', deaths = deaths + 1, lease = NULL, worker = '', accepted = ?, tell = ?, tellings = 0 WHERE id = ?;

-- name: claim_unit
UPDATE run_unit
SET state = 'running', token = ?, worker = ?, lease = ?, deaths = ?, started = coalesce(started, ?), tell = NULL
WHERE id = ?;

-- name: beat_unit
UPDATE run_unit SET lease = ?1
WHERE run = (SELECT id FROM run WHERE name = ?2 AND state <> 'cancelled') AND step = ?3 AND item = ?4
  AND state = 'running' AND token = ?5;

-- name: end_unit
UPDATE run_unit
SET state = ?, result = ?, settled = ?, ended = ?, stuck = NULL, lease = NULL, worker = '', tell = NULL,
    trouble = coalesce(?, trouble)
WHERE id = ?;

-- name: fail_unit
UPDATE run_unit
SET state = 'failed', settled = ?, ended = ?, trouble = ?, failures = ?, stuck = 1, lease = NULL, worker = '', tell = NULL
WHERE id = ?;

-- name: unit_again
UPDATE run_unit
SET state = 'ready', settled = ?, failures = ?, trouble = coalesce(?, trouble), deaths = 0, lease = NULL, worker = '',
    accepted = ?, tell = ?, tellings = 0
WHERE id = ?;

-- name: let_go_of_unit
UPDATE run_unit SET state = 'ready', settled = ?, lease = NULL, worker = '', tell = ?, tellings = 0 WHERE id = ?;

-- name: let_stand_in
UPDATE run_unit
SET state = 'ready', phase = 'compensate', stuck = 1, settled = ?, failures = 0, forgone = ?, deaths = 0, trouble = ?,
    lease = NULL, worker = '', accepted = ?, tell = ?, tellings = 0
WHERE id = ?;

-- name: begin_again
-- A parcel waits for its turn among the others of its head.
UPDATE run_unit
SET state = iif(item < 0, 'ready', 'held'), phase = 'do', stuck = NULL, failures = 0, forgone = 0, deaths = 0,
    trouble = NULL, lease = NULL, worker = '', ended = NULL, accepted = ?, tell = iif(item < 0, ?, NULL), tellings = 0
WHERE id = ?;

-- name: spread_head
UPDATE run_unit
SET state = 'spread', total = ?, remaining = ?, at_once = ?, active = ?, started = coalesce(started, ?), tell = NULL
WHERE id = ?;

-- name: add_parcel
INSERT INTO run_unit
    (run, step, item, pipeline, place, state, size, content, round, token, settled, trouble, accepted, tell)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: drop_unit
DELETE FROM run_unit WHERE id = ?;

-- name: count_at_head
UPDATE run_unit SET remaining = remaining - ?, active = active - ? WHERE run = ? AND step = ? AND item = -1
RETURNING id, total, remaining, active, at_once;

-- name: promote_held
UPDATE run_unit SET state = 'ready', accepted = ?1, tell = ?2, tellings = 0
WHERE id IN (
    SELECT id FROM run_unit INDEXED BY run_unit_held WHERE run = ?3 AND step = ?4 AND state = 'held'
    ORDER BY item LIMIT ?5
);

-- name: end_head
UPDATE run_unit SET state = 'done', ended = ? WHERE id = ?;

-- name: step_before_is_done
UPDATE run_unit SET missing = missing - 1 WHERE run = ? AND step = ? AND item = -1 RETURNING id, missing, state;

-- name: make_step_ready
UPDATE run_unit SET state = 'ready', accepted = ?, tell = ?, tellings = 0 WHERE id = ?;

-- name: end_run
UPDATE run SET state = ?, ended = ?, told = 0, step = ?, trouble = ? WHERE id = ?;

-- name: quiet_units
UPDATE run_unit SET tell = NULL WHERE run = ? AND tell IS NOT NULL;

-- name: head_of_step
SELECT state, total, remaining FROM run_unit WHERE run = ? AND step = ? AND item = -1;

-- name: get_input
SELECT input FROM run WHERE name = ?;

-- name: whole_result
SELECT run, state, result, total FROM run_unit
WHERE run = (SELECT id FROM run WHERE name = ?) AND step = ? AND item = -1;

-- name: parcel_results
SELECT result FROM run_unit WHERE run = ? AND step = ? AND item >= 0 AND state = 'done' ORDER BY item;

-- name: untold_runs
SELECT name, pipeline, state, ended, step, trouble FROM run INDEXED BY run_untold
WHERE state <> 'running' AND told = 0 ORDER BY ended LIMIT ?;

-- name: note_told
UPDATE run SET told = 1 WHERE name = ? AND state = ? AND ended = ?;

-- name: add_run_letter
INSERT INTO run_letter (letter, content) VALUES (?, ?);

-- name: run_letters
SELECT letter, content FROM run_letter ORDER BY id LIMIT ?;

-- name: drop_run_letter
DELETE FROM run_letter WHERE letter = ?;

-- name: old_runs
SELECT id FROM run INDEXED BY run_told WHERE state <> 'running' AND told = 1 AND ended < ? ORDER BY ended LIMIT ?;

-- name: drop_units_of_run
DELETE FROM run_unit WHERE run = ?;

-- name: drop_run
DELETE FROM run WHERE id = ?;

-- name: take_up_run
UPDATE run SET state = 'running', step = '', trouble = NULL WHERE id = ?;

-- name: revive_units
UPDATE run_unit SET tell = max(accepted, ?), tellings = 0 WHERE run = ? AND state = 'ready';

-- name: last_step
SELECT step FROM run_unit WHERE run = ? AND item = -1 ORDER BY place DESC LIMIT 1;

-- name: steps_left
SELECT count(*) FROM run_unit WHERE run = ? AND item = -1 AND state NOT IN ('done', 'skipped');

-- name: stuck_units
SELECT id, step, item, state FROM run_unit INDEXED BY run_unit_stuck
WHERE run = ? AND stuck IS NOT NULL ORDER BY place, item;

-- name: all_stuck_units
SELECT run.name, unit.step, item FROM run_unit AS unit INDEXED BY run_unit_stuck JOIN run ON run.id = unit.run
WHERE stuck IS NOT NULL AND (:step IS NULL OR unit.step = :step) AND run.state <> 'cancelled'
  AND run.pipeline IN (SELECT value FROM json_each(:pipelines))
ORDER BY unit.run, place, item LIMIT :limit;

-- name: states_of_steps
SELECT step, state FROM run_unit WHERE run = ? AND item = -1;

-- name: newest_token_of_step
SELECT max(token) FROM run_unit WHERE run = ? AND step = ?;

-- name: drop_parcels
DELETE FROM run_unit WHERE run = ? AND step = ? AND item >= 0;

-- name: reset_step
UPDATE run_unit
SET state = ?1, round = ?2, token = ?2, accepted = ?3, tell = ?4, missing = ?5, phase = 'do', stuck = NULL,
    result = NULL, failures = 0, forgone = 0, deaths = 0, trouble = NULL, settled = 0, worker = '', lease = NULL, tellings = 0, started = NULL,
    ended = NULL, total = NULL, remaining = 0, at_once = NULL, active = 0
WHERE run = ?6 AND step = ?7 AND item = -1;

-- name: find_runs
SELECT id, name, pipeline, state, created, ended, trouble FROM run
WHERE (:pipeline IS NULL OR pipeline = :pipeline) ORDER BY id DESC LIMIT :limit;

-- name: find_runs_in_state
SELECT id, name, pipeline, state, created, ended, trouble FROM run INDEXED BY run_state
WHERE state = :state AND (:pipeline IS NULL OR pipeline = :pipeline) ORDER BY id DESC LIMIT :limit;

-- name: find_troubled_runs
SELECT id, name, pipeline, state, created, ended, trouble FROM run
WHERE id IN (SELECT run FROM run_unit INDEXED BY run_unit_stuck WHERE stuck IS NOT NULL AND step = :step)
  AND (:state IS NULL OR state = :state) AND (:pipeline IS NULL OR pipeline = :pipeline)
ORDER BY id DESC LIMIT :limit;

-- name: look_at_run
SELECT id, name, pipeline, state, created, ended, trouble, input FROM run WHERE name = ?;

-- name: steps_at_a_glance
SELECT step, state FROM run_unit WHERE run = ? AND item = -1 ORDER BY place;

-- name: failed_steps
SELECT DISTINCT step FROM run_unit INDEXED BY run_unit_stuck
WHERE run = ? AND stuck IS NOT NULL AND state = 'failed' ORDER BY place;

-- name: heads_of_run
SELECT step, state, phase, total, remaining, ended FROM run_unit WHERE run = ? AND item = -1 ORDER BY place;

-- name: sums_of_steps
SELECT step,
       sum(iif(item >= 0 AND state = 'skipped', size, 0)),
       sum(iif(state = 'failed', max(size, 1), 0)),
       sum(iif(phase = 'compensate' AND state IN ('ready', 'running'), max(size, 1), 0)),
       sum(state = 'running'), sum(failures + forgone), sum(deaths), min(started), max(worker)
FROM run_unit WHERE run = ? GROUP BY step;

-- name: troubles_of_steps
-- Of each step one: of a unit that is stuck, if there is such, else of the newest; the others follow the greatest.
SELECT step, trouble, max(iif(stuck IS NULL, 0, 1 << 60) + id) FROM run_unit
WHERE run = ? AND trouble IS NOT NULL GROUP BY step;
