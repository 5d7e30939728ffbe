"""Telemetry that also says in the log what becomes of each job, for those who watch a worker."""

from __future__ import annotations

import logging

from goatherd.cli.durations import spoken
from goatherd.engine.meter import Meter
from goatherd.model.formats import Work
from goatherd.ports.telemetry import Outcome

log = logging.getLogger("goatherd.worker")


class TellingMeter(Meter):
    """Counts like the meter, and tells; failures are told by the worker itself."""

    def started(self, queue: str, task: str, work: Work, waited: float) -> None:
        super().started(queue, task, work, waited)
        log.debug("%s[%s] starts, attempt %d, after waiting %s", task, work.job_id, work.attempt, spoken(waited))

    def ended(self, queue: str, task: str, work: Work, outcome: Outcome, seconds: float) -> None:
        super().ended(queue, task, work, outcome, seconds)
        if outcome == "done":
            log.info("%s[%s] done in %s", task, work.job_id, spoken(seconds))
