"""What `goatherd doctor` says about pipelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well, wrong
from goatherd.cli.output import without_password
from goatherd.cli.run_access import opened_records
from goatherd.cli.wording import counted
from goatherd.desk.run_finding import names_of_pipelines
from goatherd.desk.run_looks import short_run
from goatherd.errors import GoatherdError
from goatherd.model.run_record import RunFilter

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Runs that are looked at.
MOST_SEEN = 1000


def pipeline_faults(app: Goatherd) -> Iterator[Check]:
    """Pipelines whose steps do not fit."""
    for pipeline in app.pipelines.values():
        try:
            _ = pipeline.definition
        except GoatherdError as error:
            yield wrong("pipelines", str(error))


async def run_checks(app: Goatherd, target: str) -> AsyncIterator[Check]:
    """Where runs are on record, those that failed, and those that nobody works on; nothing where there can be none."""
    if not names_of_pipelines(app):
        return
    settings = app.settings
    kinds = ((len(app.pipelines), "pipeline"), (len(app.ticks), "scheduled task"))
    told = " and ".join(counted(number, kind) for number, kind in kinds if number)
    where = f"{told}, with runs on record in {without_password(settings.record_store)}"
    if settings.record_store_is_local:
        mend = "Set GOATHERD_RECORDS_URL to postgresql://…, so that all machines share them."
        yield warning("pipelines", f"{where}, which other machines do not see, but the broker is on the network", mend)
    else:
        yield well("pipelines", where)
    async with opened_records(app) as operations:
        failed = await operations.find(RunFilter(state="failed"), MOST_SEEN)
        going = await operations.find(RunFilter(state="running"), MOST_SEEN)
    if failed:
        names = ", ".join(short_run(run.id) for run in failed[:3])
        found = f"{counted(len(failed), 'run')} failed: {names}{'…' if failed[3:] else ''}"
        yield warning("failed runs", found, f"See `goatherd runs list {target} --state failed`, then `runs retry`.")
    orphans = Counter(run.pipeline for run in going if run.pipeline not in names_of_pipelines(app))
    for pipeline, number in orphans.items():
        found = f"{counted(number, 'run')} of pipeline {pipeline!r}: the code does not have it, so nobody goes on"
        yield warning("left runs", found, f"Bring the pipeline back, or end them: goatherd runs cancel {target} RUN")
