"""The records of pipelines as one process has them open, and who tells workers of what is ready there."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from goatherd.engine.conductor import Conductor
from goatherd.engine.means import Means
from goatherd.engine.queue_depths import QueueDepths
from goatherd.engine.run_story import RunStory
from goatherd.engine.step_book import StepBook
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.steps import RunOperations, Steps
from goatherd.wiring import Ports

log = logging.getLogger("goatherd.pipelines")


@dataclass(frozen=True, kw_only=True)
class Records:
    """Satisfies `RunRecords`."""

    steps: Steps
    operations: RunOperations
    conductor: Conductor


async def open_records(
    settings: Settings,
    ports: Ports,
    book: StepBook,
    means: Means,
    story: RunStory,
    make_queues: Callable[[], Awaitable[None]],
) -> Records:
    """Open them, with a conductor that has not begun; raises Unavailable, SettingsError or MissingExtra."""
    if settings.record_store_is_local:
        log.warning(
            "The broker is on the network, but runs of pipelines are on record in the file of %s, which other machines "
            "do not see; set GOATHERD_RECORDS_URL=postgresql://…",
            settings.record_store,
        )
    opened = await ports.open_steps()
    conductor = Conductor(
        opened.steps,
        book,
        means,
        QueueDepths(ports.operations),
        story,
        ports.dead_letters,
        new_id(),
        settings.history_days * 86_400.0,
        make_queues,
    )
    return Records(steps=opened.steps, operations=opened.operations, conductor=conductor)
