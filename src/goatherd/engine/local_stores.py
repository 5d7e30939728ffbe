"""Say that something stays on this machine while jobs go to others."""

import logging

from goatherd.model.settings import Settings

log_runs = logging.getLogger("goatherd.runs")
log_lanes = logging.getLogger("goatherd.lanes")


def warn_of_local_store(log: logging.Logger, what: str, url: str, mend: str) -> None:
    """`what` says what is done in that file, `mend` which setting to set, and to what."""
    log.warning(
        "The broker is on the network, but %s in the file of %s, which other machines do not see; set %s",
        what,
        url,
        mend,
    )


def warn_of_local_events(settings: Settings) -> None:
    """Say it, if events of tracked jobs stay on this machine while jobs go to others."""
    if settings.event_store_is_local:
        mend = "GOATHERD_EVENTS_URL=redis://…"
        warn_of_local_store(log_runs, "tracked jobs are noted", settings.event_store, mend)


def warn_of_local_lanes(settings: Settings) -> None:
    """Say it, if lanes stay on this machine while jobs go to others."""
    if settings.lane_store_is_local:
        mend = "GOATHERD_LANES_URL to redis://… or postgresql://…"
        warn_of_local_store(log_lanes, "jobs with a key wait", settings.lane_store, mend)
