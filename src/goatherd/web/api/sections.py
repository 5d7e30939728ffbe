"""All subjects of the API, in the order in which they are described. A new one is one entry here."""

from dataclasses import dataclass

from fastapi import APIRouter

from goatherd.web.api import (
    audit,
    dead_letters,
    job_events,
    jobs,
    lanes,
    listeners,
    one_job,
    overview,
    queues,
    runs,
    schedules,
    system,
    tasks,
)

PREFIX = "/api"


@dataclass(frozen=True, kw_only=True)
class Section:
    """A subject."""

    name: str
    about: str
    routers: tuple[APIRouter, ...]


SECTIONS = (
    Section(name="Overview", about="The app at a glance.", routers=(overview.router,)),
    Section(name="Tasks", about="What can be sent, and sending it.", routers=(tasks.router,)),
    Section(
        name="Jobs",
        about="Jobs that are tracked: the history, one of them, and its events as they happen.",
        # The path of one job takes what the others do not.
        routers=(jobs.router, job_events.router, one_job.router),
    ),
    Section(name="Queues", about="What waits, and who takes it.", routers=(queues.router,)),
    Section(name="Runs", about="Runs of pipelines and ticks of schedules.", routers=(runs.router,)),
    Section(name="Lanes", about="Jobs that are done in order, by their keys.", routers=(lanes.router,)),
    Section(name="Dead letters", about="What failed for good.", routers=(dead_letters.router,)),
    Section(name="Schedules", about="What begins by itself.", routers=(schedules.router,)),
    Section(name="Listeners", about="Queues that are listened to because data wants it.", routers=(listeners.router,)),
    Section(name="System", about="Processes, streams and topology.", routers=(system.router,)),
    Section(name="Audit", about="What operators did.", routers=(audit.router,)),
)
