"""Drift: in what the broker differs from what the app wants."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from goatherd.definition import current_definition
from goatherd.desk.drift_words import counts, told_change, told_details
from goatherd.desk.glance import Glance
from goatherd.errors import GoatherdError
from goatherd.model.difference import Change, Difference, Kind
from goatherd.model.envelope import moment

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.plumbing import Plumbing

#: Seconds for which a comparison is good enough, and that it may take.
FRESH_FOR, DEADLINE = 30.0, 8.0

#: - `same`: nothing differs in what was seen; `drift`: something does.
#: - `unknown`: it could not be found out; `none`: there is no broker of its own to compare with.
DriftState: TypeAlias = Literal["same", "drift", "unknown", "none"]


@dataclass(frozen=True, kw_only=True)
class DifferenceFacts:
    """One thing in which the broker differs."""

    change: Change
    kind: Kind
    name: str
    #: The class, and of what: `create queue`, `bind`.
    told: str
    #: A line for each property: what is wanted, and after the arrow what was found.
    details: tuple[str, ...]
    #: Why it is none of the definition's, has no effect, or cannot be mended from here.
    why: str
    mendable: bool
    #: What could be lost when it is mended, and why.
    risks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DriftFacts:
    """What a comparison came to."""

    state: DriftState
    #: Why it is not known, or why there is nothing to compare.
    why: str
    vhost: str
    #: How many the app wants.
    queues: int
    exchanges: int
    differences: tuple[DifferenceFacts, ...]
    #: How many there are of each class.
    counts: Mapping[Change, int]
    #: What the broker did not tell, so that it was not compared.
    unseen: tuple[str, ...]
    at: datetime


class DriftGlance:
    """The last comparison of one open app; kept beside its session."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self.last = Glance(self._look, FRESH_FOR)

    async def close(self) -> None:
        """Nothing is held."""

    async def _look(self) -> DriftFacts:
        plumbing = self._app.session().ports.plumbing
        if plumbing is None:
            why = "The app uses no broker of its own: its queues are in a file that only Goatherd writes."
            return self._nothing("none", why)
        try:
            async with asyncio.timeout(DEADLINE):
                return await self._compared(plumbing)
        except TimeoutError:
            return self._nothing("unknown", f"The broker did not answer within {DEADLINE:g} s.")
        except GoatherdError as error:
            return self._nothing("unknown", str(error))

    async def _compared(self, plumbing: Plumbing) -> DriftFacts:
        definition = await current_definition(self._app)
        survey = await plumbing.survey(definition.blueprint)
        found = definition.differences(survey)
        return DriftFacts(
            state="drift" if found else "same",
            why="",
            vhost=definition.blueprint.vhost,
            queues=len(definition.blueprint.queues),
            exchanges=len(definition.blueprint.exchanges),
            differences=tuple(_facts(each) for each in found),
            counts=counts(found),
            unseen=tuple(survey.unseen),
            at=moment(self._app.session().clock.now()),
        )

    def _nothing(self, state: DriftState, why: str) -> DriftFacts:
        now = moment(self._app.session().clock.now())
        return DriftFacts(
            state=state, why=why, vhost="", queues=0, exchanges=0, differences=(), counts={}, unseen=(), at=now
        )  # fmt: skip


async def drift(app: Goatherd, *, anew: bool = False) -> DriftFacts:
    """The last comparison, made again every half a minute at most, or if it is wanted `anew`."""
    glance = app.session().companions.get(DriftGlance, lambda: DriftGlance(app)).last
    if anew:
        glance.forget()
    return await glance.get()


def _facts(difference: Difference) -> DifferenceFacts:
    return DifferenceFacts(
        change=difference.change,
        kind=difference.kind,
        name=difference.name,
        told=told_change(difference),
        details=tuple(told_details(difference)),
        why=difference.why,
        mendable=difference.mendable,
        risks=tuple(f"{risk.loses}: {risk.why}" for risk in difference.risks),
    )
