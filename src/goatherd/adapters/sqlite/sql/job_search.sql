-- name: facet_counts
-- Which kinds of jobs there are.
SELECT facet, status FROM history_counts JOIN history_facets USING (facet)
WHERE jobs > 0 AND (:task IS NULL OR task = :task) AND (:queue IS NULL OR queue = :queue)
  AND (:kind IS NULL OR kind = :kind) AND (:status IS NULL OR status = :status);

-- name: status_counts
SELECT status, sum(jobs) FROM history_counts WHERE jobs > 0 GROUP BY status;

-- name: known_tasks
SELECT DISTINCT task FROM history_counts JOIN history_facets USING (facet)
WHERE jobs > 0 AND task <> '' ORDER BY task;

-- name: newest_places
SELECT place FROM job_record WHERE place >= :first AND place < :last ORDER BY place DESC LIMIT :limit;

-- name: newest_facets
-- Among the newest, whatever they are.
SELECT place, facet, status FROM job_record WHERE place >= :first AND place < :last ORDER BY place DESC LIMIT :limit;

-- name: places_of_facet
SELECT place FROM job_record
WHERE facet = :facet AND status = :status AND place >= :first AND place < :last ORDER BY place DESC LIMIT :limit;

-- name: places_by_words
-- Marks are short and may be those of others, so that what they stand for is looked at.
SELECT job_record.place FROM history_words CROSS JOIN job_record ON job_record.place = history_words.rowid
WHERE history_words MATCH :words AND history_words.rowid >= :first AND history_words.rowid < :last
  AND (:status IS NULL OR status = :status) AND (:key IS NULL OR key = :key)
  AND (:facets IS NULL OR facet IN (SELECT value FROM json_each(:facets)))
ORDER BY history_words.rowid DESC LIMIT :limit;

-- name: places_by_id
SELECT place FROM job_record INDEXED BY history_job
WHERE job >= :from AND job < :to AND place >= :first AND place < :last
  AND (:status IS NULL OR status = :status) AND (:key IS NULL OR key = :key)
  AND (:facets IS NULL OR facet IN (SELECT value FROM json_each(:facets)))
ORDER BY place DESC LIMIT :limit;

-- name: places_by_end_of_id
SELECT job_record.place FROM history_words CROSS JOIN job_record ON job_record.place = history_words.rowid
WHERE history_words MATCH :words AND history_words.rowid >= :first AND history_words.rowid < :last
  AND substr(job, -length(:id)) = :id
  AND (:status IS NULL OR status = :status) AND (:key IS NULL OR key = :key)
  AND (:facets IS NULL OR facet IN (SELECT value FROM json_each(:facets)))
ORDER BY history_words.rowid DESC LIMIT :limit;

-- name: texts_of_jobs
SELECT place, task, job_record.key, arguments, error, message
FROM json_each(:places) AS wanted CROSS JOIN job_record ON place = wanted.value JOIN history_facets USING (facet)
ORDER BY place DESC;

-- name: found_jobs
SELECT place, job, job_record.key, arguments, status, attempt, stage, progress, error, message,
       created, at, queued_at, started_at, ended_at, task, queue, kind
FROM json_each(:places) AS wanted CROSS JOIN job_record ON place = wanted.value JOIN history_facets USING (facet)
ORDER BY place DESC;
