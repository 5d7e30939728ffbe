"""Honest differences between brokers."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from goatherd.testing.suites.store import StoreSuite


@dataclass(frozen=True, kw_only=True)
class BrokerFeatures:
    """What a broker promises; a False becomes a visible skip with its reason."""

    #: Messages of higher priority overtake others.
    priorities: bool = True
    #: A full queue pushes its oldest messages out to the dead letters.
    length_limit: bool = True
    #: `queues()` tells how many deliveries are not settled yet.
    counts_running: bool = True
    #: `queues()` tells how many messages are delayed.
    counts_delayed: bool = True
    #: `queues()` tells how many dead letters each queue has.
    counts_dead: bool = True
    #: `purge` drops delayed messages too.
    purges_delayed: bool = True
    #: The suite can make the broker take a living client for dead; see `BrokerCases.cut_off`.
    cuts_off: bool = True


class BrokerCases(StoreSuite):
    """What the parts of the broker's suite have in common."""

    features: ClassVar[BrokerFeatures] = BrokerFeatures()

    async def cut_off(self, store: Any) -> None:
        """Make the broker give away what its clients hold, while they live on and do not know."""
        raise NotImplementedError("Give the suite a method `cut_off(store)`, or say that `cuts_off` is not promised.")

    def needs(self, feature: str) -> None:
        """Skip the case if the broker does not promise this."""
        if not getattr(self.features, feature):
            pytest.skip(f"this broker does not promise {feature!r}")
