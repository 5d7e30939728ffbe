"""What is said to PostgreSQL to keep the history."""

from goatherd.adapters.record_rows import COLUMNS

#: How the server is to read the arrays of `row_of`.
_TYPES = (
    "text", "bigint", "text", "bigint", "text", "float8", "bytea", "text", "text", "text", "boolean",
    "float8", "float8", "float8", "float8", "float8", "text", "bytea",
)  # fmt: skip
_NAMES = ", ".join(COLUMNS)
_ARRAYS = ", ".join(f"%s::{type}[]" for type in _TYPES)
_CHANGED = ", ".join(f"{name} = excluded.{name}" for name in ("facet", "number", *COLUMNS))

FIND = f"""
    SELECT job, number, facet, task, queue, kind, {_NAMES}
    FROM goatherd.job_record JOIN goatherd.job_facet USING (prefix, facet) WHERE prefix = %s AND job = ANY (%s::text[])
"""

ADD_FACETS = """
    INSERT INTO goatherd.job_facet (prefix, task, queue, kind)
    SELECT %s, told.* FROM unnest(%s::text[], %s::text[], %s::text[]) AS told ON CONFLICT DO NOTHING
"""
FIND_FACETS = """
    SELECT task, queue, kind, facet FROM goatherd.job_facet
    JOIN unnest(%s::text[], %s::text[], %s::text[]) AS told (task, queue, kind) USING (task, queue, kind)
    WHERE prefix = %s
"""

#: In one step: the jobs; the words of those that have others, or another number; how many there are of each facet.
WRITE = f"""
    WITH gone AS (
        DELETE FROM goatherd.job_words former USING unnest(%s::bigint[], %s::text[]) AS moved (number, job)
        WHERE former.prefix = %s AND former.number = moved.number AND former.job = moved.job
    ), worded AS (
        INSERT INTO goatherd.job_words (prefix, number, job, words)
        SELECT %s, told.number, told.job, array_to_tsvector(string_to_array(told.words, ' '))
        FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS told (number, job, words)
        ON CONFLICT (prefix, number, job) DO UPDATE SET words = excluded.words
    ), counted AS (
        INSERT INTO goatherd.job_count (facet, status, jobs)
        SELECT told.* FROM unnest(%s::bigint[], %s::text[], %s::bigint[]) AS told
    )
    INSERT INTO goatherd.job_record (prefix, job, facet, number, {_NAMES})
    SELECT %s, told.* FROM unnest(%s::text[], %s::bigint[], %s::bigint[], {_ARRAYS}) AS told
    ON CONFLICT (prefix, job) DO UPDATE SET {_CHANGED}
"""

#: Many counts become one; those that somebody else is summing up are left to him.
SUM_UP = """
    WITH gone AS (
        DELETE FROM goatherd.job_count WHERE ctid = ANY (ARRAY(
            SELECT told.ctid FROM goatherd.job_count told LIMIT 10000 FOR UPDATE SKIP LOCKED
        )) RETURNING facet, status, jobs
    )
    INSERT INTO goatherd.job_count
    SELECT facet, status, sum(jobs) FROM gone GROUP BY facet, status HAVING sum(jobs) <> 0
"""

_DROP = """
    WITH oldest AS MATERIALIZED (
        SELECT history.ctid AS place
        FROM goatherd.job_words words JOIN goatherd.job_record history USING (prefix, job)
        WHERE words.prefix = %s AND {which}
        ORDER BY words.number LIMIT %s FOR UPDATE OF history SKIP LOCKED
    ), gone AS (
        DELETE FROM goatherd.job_record WHERE ctid = ANY (ARRAY(SELECT place FROM oldest))
        RETURNING prefix, number, job, facet, status
    ), worded AS (
        DELETE FROM goatherd.job_words former USING gone
        WHERE former.prefix = gone.prefix AND former.number = gone.number AND former.job = gone.job
    ), counted AS (
        INSERT INTO goatherd.job_count SELECT facet, status, -count(*) FROM gone GROUP BY facet, status
    )
    SELECT count(*) FROM gone
"""
#: Nothing is heard of a job before it is accepted, so those behind that moment need not be looked at.
DROP_OLD = _DROP.format(which="words.number < %s AND history.at < %s::float8")
DROP_OLDEST = _DROP.format(which="true")

COUNT_ALL = """
    SELECT coalesce(sum(jobs), 0)::bigint FROM goatherd.job_count JOIN goatherd.job_facet USING (facet)
    WHERE prefix = %s
"""
