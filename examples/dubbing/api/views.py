"""Tasks as clients see them."""

from typing import TypeVar

from pydantic import BaseModel

from examples.dubbing.api.bodies import Attempt, SegmentRow, Task
from examples.running.database.database import Database, Row

_T = TypeVar("_T", bound=BaseModel)


class NoSuchTask(Exception):
    """There is no task of this id."""


async def one_task(database: Database, task_id: str) -> Task:
    """With its attempts in the order in which they began; raises NoSuchTask."""
    rows = await database.read(f"SELECT {_columns(Task)} FROM tasks WHERE id = ?", task_id)
    if not rows:
        raise NoSuchTask(f"There is no task {task_id!r}.")
    attempts = await database.read(
        f"SELECT {_columns(Attempt)} FROM task_steps WHERE task_id = ? ORDER BY started_at, attempt", task_id
    )
    segments = await database.read(
        f"SELECT {_columns(SegmentRow)} FROM segments WHERE task_id = ? ORDER BY idx", task_id
    )
    return _made(Task, rows[0]).model_copy(
        update={
            "steps": [_made(Attempt, row) for row in attempts],
            "segments": [_made(SegmentRow, row) for row in segments],
        }
    )


def _columns(kind: type[BaseModel]) -> str:
    return ", ".join(name for name in kind.model_fields if name not in {"steps", "segments"})


def _made(kind: type[_T], row: Row) -> _T:
    return kind(**dict(zip(kind.model_fields, row, strict=False)))
