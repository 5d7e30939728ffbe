"""Jobs of a threaded program's own transactions: written in its own thread, through its own connection."""

from collections.abc import Sequence

from goatherd.app import Goatherd
from goatherd.engine.outbox_entry import OutboxEntry
from goatherd.engine.run_entry import RunEntry
from goatherd.engine.user_transaction import check_connection, through_now
from goatherd.model.job import AnyJob, JobOptions
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.run_record import NewRun
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.unanswered import not_accepted

#: How much longer than sending it may take to find out whether somebody else is just sending the same.
ONCE = 3.0


def write_within(app: Goatherd, verb: str, jobs: Sequence[AnyJob], *, tracked: bool) -> list[str]:
    """Write jobs that have one connection; gives their ids. Raises what the async verbs raise."""
    connection = jobs[0].options.within
    check_connection(connection)

    async def open_way() -> OutboxEntry | list[str]:
        session = app.session()
        if not session.dispatch.waits(jobs[0].options):
            return [await (session.start(job) if tracked else session.dispatch.send(job)) for job in jobs]
        if tracked:
            await session.see_to("answers" if jobs[0].definition.answers is not None else "ends")
        return await session.dispatch.entry(jobs, tracked=tracked)

    # The I/O thread opens the stores; the connection is used in this thread alone.
    errand = Errand(verb, app, open_way)
    entry = ask(errand, ONCE * app.settings.publish_deadline, not_accepted(errand, [job.id for job in jobs]))
    return entry if isinstance(entry, list) else through_now(connection, entry.put(jobs))


def begin_within(app: Goatherd, verb: str, pipeline: PipelineDefinition, payload: bytes, options: JobOptions) -> None:
    """Begin a run with the connection that its options name; raises what the async verb raises."""
    check_connection(options.within)

    async def open_way() -> tuple[RunEntry, NewRun] | str:
        session = app.session()
        if not session.dispatch.waits(options):
            return await session.runs.start(pipeline, payload, options)
        run = session.runs.planned(pipeline, payload, options)
        return await session.runs.entry(run), run

    errand = Errand(verb, app, open_way)
    opened = ask(errand, ONCE * app.settings.publish_deadline, not_accepted(errand, [options.id or ""]))
    if not isinstance(opened, str):
        entry, run = opened
        through_now(options.within, entry.begin(run))


def patience_for(jobs: Sequence[AnyJob], seconds: float) -> float:
    """Seconds to wait for jobs that take so long to send, or longer if there is to be one of a kind."""
    once = any(job.unique is not None or job.options.id is not None for job in jobs)
    return ONCE * seconds if once else seconds
