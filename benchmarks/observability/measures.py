"""What is measured: one worker empties a full queue, and nothing else."""

from pathlib import Path

from benchmarks.contender import Contender
from benchmarks.measures import Plan, Sample, drain, fill
from benchmarks.settings import Entry

#: Times the jobs of other settings: differences are small, and so must be what disturbs them.
TIMES = 5


async def cost(entry: Entry, contender: Contender, room: Path, plan: Plan) -> Sample:
    """Processor time of the worker for each job that does nothing."""
    place = room / "queue"
    place.mkdir()
    filled = await fill(entry, place, ["batch"], TIMES * plan.jobs)
    return filled.sample | await drain(entry, place, filled.jobs)
