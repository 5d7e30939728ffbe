"""All pages, in the order of the menu. A new page is one line here."""

from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.pages import (
    audit,
    jobs,
    lanes,
    letters,
    listeners,
    overview,
    queues,
    runs,
    schedules,
    streams,
    tasks,
    topology,
    workers,
)

PAGES: tuple[Page, ...] = (
    overview.PAGE,
    queues.PAGE,
    jobs.PAGE,
    runs.PAGE,
    lanes.PAGE,
    letters.PAGE,
    tasks.PAGE,
    schedules.PAGE,
    listeners.PAGE,
    workers.PAGE,
    streams.PAGE,
    topology.PAGE,
    audit.PAGE,
)
