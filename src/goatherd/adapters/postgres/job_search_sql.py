"""What is said to PostgreSQL to find jobs. Each way reads as few rows as it can, and the newest first."""

#: How the server is to plan it: the first rows of an order are wanted, so that what is in order is to stay so, and no
#: table is ever to be read as a whole.
PLANNING = (
    "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c plan_cache_mode=force_custom_plan"
    " -c max_parallel_workers_per_gather=0"
)

COUNTS = """
    SELECT status, sum(jobs)::bigint FROM goatherd.job_count JOIN goatherd.job_facet USING (facet)
    WHERE prefix = %s GROUP BY status HAVING sum(jobs) > 0
"""

TASKS = """
    SELECT task FROM goatherd.job_count JOIN goatherd.job_facet USING (facet)
    WHERE prefix = %s AND task <> '' GROUP BY task HAVING sum(jobs) > 0 ORDER BY task
"""

FACETS = """
    SELECT facet, status FROM goatherd.job_count JOIN goatherd.job_facet USING (facet)
    WHERE prefix = %(prefix)s AND (%(task)s::text IS NULL OR task = %(task)s)
      AND (%(queue)s::text IS NULL OR queue = %(queue)s) AND (%(kind)s::text IS NULL OR kind = %(kind)s)
      AND (%(status)s::text IS NULL OR status = %(status)s)
    GROUP BY facet, status HAVING sum(jobs) > 0
"""

#: Where a page begins and ends.
_SPAN = """
    {0}.number >= %(first)s AND {0}.number <= %(last)s AND ({0}.number, {0}.job) < (%(last)s, %(last_job)s)
"""
#: What a job must be, apart from its words.
_BESIDES = """
    (%(status)s::text IS NULL OR history.status = %(status)s) AND (%(key)s::text IS NULL OR history.key = %(key)s)
    AND (%(facets)s::bigint[] IS NULL OR history.facet = ANY (%(facets)s))
"""

NEWEST = f"""
    SELECT words.number, words.job FROM goatherd.job_words words
    WHERE words.prefix = %(prefix)s AND {_SPAN.format("words")}
    ORDER BY words.number DESC, words.job DESC LIMIT %(limit)s
"""

#: The newest, whatever they are, and whether they are as wanted.
AMONG_NEWEST = f"""
    WITH newest AS MATERIALIZED ({NEWEST})
    SELECT newest.number, newest.job, {_BESIDES}
    FROM newest JOIN goatherd.job_record history ON history.prefix = %(prefix)s AND history.job = newest.job
    ORDER BY newest.number DESC, newest.job DESC
"""

#: Those of each facet and status that are wanted, put together.
OF_FACETS = f"""
    SELECT those.number, those.job
    FROM unnest(%(facets)s::bigint[], %(statuses)s::text[]) AS wanted (facet, status)
    CROSS JOIN LATERAL (
        SELECT history.number, history.job FROM goatherd.job_record history
        WHERE history.facet = wanted.facet AND history.status = wanted.status AND {_SPAN.format("history")}
        ORDER BY history.number DESC, history.job DESC LIMIT %(limit)s
    ) AS those
    ORDER BY those.number DESC, those.job DESC LIMIT %(limit)s
"""

#: What the index tells is put in order before the jobs themselves are looked at, and only as many as are wanted.
BY_WORDS = f"""
    SELECT hits.number, hits.job FROM (
        SELECT words.number, words.job FROM goatherd.job_words words
        WHERE words.words @@ %(query)s::tsquery AND words.prefix = %(prefix)s AND {_SPAN.format("words")}
          -- Or else the server may go through all jobs in order until it has met enough.
          AND words.number + 0 IS NOT NULL
        ORDER BY words.number DESC, words.job DESC OFFSET 0
    ) AS hits
    CROSS JOIN LATERAL (
        SELECT FROM goatherd.job_record history
        WHERE history.prefix = %(prefix)s AND history.job = hits.job AND {_BESIDES}
    ) AS those
    ORDER BY hits.number DESC, hits.job DESC LIMIT %(limit)s
"""

#: The same of the newest jobs, whatever they are; with how many these were, and the last of them.
SAMPLE_NEWEST = f"""
    WITH newest AS MATERIALIZED (
        SELECT words.number, words.job, words.words,
               row_number() OVER (ORDER BY words.number DESC, words.job DESC) AS turn
        FROM goatherd.job_words words WHERE words.prefix = %(prefix)s AND {_SPAN.format("words")}
        ORDER BY words.number DESC, words.job DESC LIMIT %(limit)s
    ), judged AS MATERIALIZED (
        SELECT number, job, turn, {{judged}} FROM newest
    )
    SELECT (SELECT count(*) FROM newest),
           (SELECT number FROM newest ORDER BY turn DESC LIMIT 1), (SELECT job FROM newest ORDER BY turn DESC LIMIT 1),
           (array_agg(number ORDER BY turn) FILTER (WHERE {{all}}))[:%(wanted)s],
           (array_agg(job ORDER BY turn) FILTER (WHERE {{all}}))[:%(wanted)s],
           {{met}}
    FROM judged
"""

#: How many of some jobs have each of the words, and which have all of them.
SAMPLE = """
    SELECT array_agg(hits.number ORDER BY turn) FILTER (WHERE words.words @@ %(query)s::tsquery),
           array_agg(hits.job ORDER BY turn) FILTER (WHERE words.words @@ %(query)s::tsquery),
           {met}
    FROM unnest(%(numbers)s::bigint[], %(jobs)s::text[]) WITH ORDINALITY AS hits (number, job, turn)
    JOIN goatherd.job_words words
      ON words.prefix = %(prefix)s AND words.number = hits.number AND words.job = hits.job
"""

BY_ID = f"""
    SELECT history.number, history.job FROM goatherd.job_record history
    WHERE history.prefix = %(prefix)s AND history.job >= %(from)s AND history.job < %(to)s
      AND {_SPAN.format("history")} AND {_BESIDES}
    ORDER BY history.number DESC, history.job DESC LIMIT %(limit)s
"""

BY_END_OF_ID = f"""
    SELECT history.number, history.job
    FROM goatherd.job_words words JOIN goatherd.job_record history USING (prefix, job)
    WHERE words.words @@ %(query)s::tsquery AND words.prefix = %(prefix)s AND right(words.job, length(%(id)s)) = %(id)s
      AND {_SPAN.format("history")} AND {_BESIDES}
    ORDER BY history.number DESC, history.job DESC LIMIT %(limit)s
"""

FOUND = """
    SELECT {listed}, task, queue, kind
    FROM unnest(%(numbers)s::bigint[], %(jobs)s::text[]) AS wanted (number, job)
    JOIN goatherd.job_record history ON history.prefix = %(prefix)s AND history.job = wanted.job
    JOIN goatherd.job_facet facets ON facets.facet = history.facet
    ORDER BY wanted.number DESC, wanted.job DESC
"""
