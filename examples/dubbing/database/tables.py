"""The tables, for both databases."""

from examples.running.database.database import Database, Desk
from examples.running.database.opening import database_at

TABLES = (
    # `state` is queued, running, done or failed; `error` says why it failed.
    """
    CREATE TABLE IF NOT EXISTS tasks (
        id TEXT PRIMARY KEY, state TEXT NOT NULL, source_video_key TEXT NOT NULL, output_video_key TEXT NOT NULL,
        source_language TEXT NOT NULL, target_language TEXT NOT NULL, error TEXT NOT NULL DEFAULT '',
        created_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION
    )
    """,
    # Every attempt that a worker began, numbered for each step of a task; those of a batch have its first segment as
    # their item. `state` is running, succeeded, failed, or lost: nobody heard of it any more.
    """
    CREATE TABLE IF NOT EXISTS task_steps (
        task_id TEXT NOT NULL, step TEXT NOT NULL, attempt BIGINT NOT NULL, item BIGINT NOT NULL, state TEXT NOT NULL,
        worker TEXT NOT NULL, timeout_seconds DOUBLE PRECISION NOT NULL, error TEXT NOT NULL DEFAULT '',
        started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION, UNIQUE (task_id, step, attempt)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS segments (
        task_id TEXT NOT NULL, idx BIGINT NOT NULL, start_seconds DOUBLE PRECISION NOT NULL,
        end_seconds DOUBLE PRECISION NOT NULL, src_text TEXT NOT NULL, mt_text TEXT, tts_audio_key TEXT,
        tts_params_json TEXT, error TEXT NOT NULL DEFAULT '', PRIMARY KEY (task_id, idx)
    )
    """,
    # What somebody has to look after.
    "CREATE INDEX IF NOT EXISTS segments_without_speech ON segments (task_id, idx) WHERE tts_audio_key IS NULL",
)
#: Where it is, all of them are.
LANDMARK = "segments_without_speech"


async def make_tables(desk: Desk, _numbered: str) -> None:
    """Have them all."""
    for table in TABLES:
        await desk.do(table)


def tasks_at(url: str) -> Database:
    """The database that a URL names; it is not opened yet."""
    return database_at(url, make_tables, LANDMARK)
