"""What an app has people told of: what a scheduler sees, whom it tells, and from where on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from goatherd.engine.alerts.outlook import Lookout, Views
from goatherd.engine.alerts.shared_board import SharedBoard
from goatherd.engine.alerts.telling import make_sinks
from goatherd.engine.alerts.watch import AlertWatch
from goatherd.engine.sampler import in_all
from goatherd.model.alert import AlertKind
from goatherd.model.alert_rules import Rules
from goatherd.model.alert_sightings import Thresholds
from goatherd.model.difference import Difference
from goatherd.model.listener import ListenerRow
from goatherd.model.settings import Settings
from goatherd.session import Session
from goatherd.wiring import alert_webhook, open_alert_board

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: Looks of all schedulers that may fail before a condition counts as over.
LOOKS = 3


def make_alert_watches(app: Goatherd, session: Session) -> list[AlertWatch]:
    """What tells of alerts, not started yet; none where nobody looks at what all share."""
    settings = app.settings
    if not settings.metrics_every:
        return []
    sinks = make_sinks(app.alert_hooks, alert_webhook(settings))
    quiet = max(settings.alert_after, LOOKS * settings.metrics_every)
    rules = Rules(sinks=tuple(sinks), every=settings.alert_every, quiet=quiet)
    board = SharedBoard(partial(open_alert_board, settings, session.clock), session.clock)
    lookout = Lookout(app.name, _views(app, session), thresholds(settings))
    return [AlertWatch(board, lookout.look, sinks, rules, settings.metrics_every)]


def thresholds(settings: Settings) -> Thresholds:
    """From where on somebody is told."""
    return Thresholds(
        lag=settings.alert_lag, backlog=settings.alert_backlog, dead=settings.alert_dead, after=settings.alert_after
    )


def _views(app: Goatherd, session: Session) -> Views:
    async def ailing() -> Sequence[ListenerRow]:
        return await (await session.recurring.listeners()).find(unhealthy=True)

    def missed() -> Mapping[str, int]:
        counts = {} if session.ticker is None else session.ticker.counts.readings()
        return {name: count for (name, outcome), count in counts.items() if outcome == "missed"}

    def drift() -> Sequence[Difference] | None:
        return next((watch.differences for watch in app.drift_watches), None)

    return Views(
        shared=lambda: in_all(app.samplers),
        missed=missed,
        troubles=partial(_troubles, app, session),
        drift=drift,
        listeners=ailing if app.listener_book.listened() else None,
    )


def _troubles(app: Goatherd, session: Session) -> Mapping[AlertKind, Mapping[str, str]]:
    troubles: dict[AlertKind, dict[str, str]] = {}
    if app.intakes:
        troubles["inbox"] = {each.inbox: each.trouble for each in app.intakes if each.trouble is not None}
    if app.flushers:
        troubles["tally"] = {each.tally: each.trouble for each in app.flushers if each.trouble is not None}
    if (ticker := session.ticker) is not None:
        troubles["missed_tick"] = {name: f"it is due, and is not fired: {why}" for name, why in ticker.refused.items()}
        if ticker.trouble is not None:
            troubles["missed_tick"][app.name] = f"nothing is fired now: {ticker.trouble}"
    if deaf := {group.pattern: group.names.failing for each in app.hearing for group in each.groups}:
        told = {pattern: f"the source does not tell what is wanted: {why}" for pattern, why in deaf.items() if why}
        troubles["listener"] = told
    return troubles
