"""What an app wants its broker to have, and how to judge a broker by it."""

from collections.abc import Callable
from dataclasses import dataclass

from goatherd.model.blueprint import Blueprint
from goatherd.model.difference import Difference, Scope
from goatherd.model.drift import plan
from goatherd.model.survey import Survey


@dataclass(frozen=True, kw_only=True)
class Definition:
    """The one definition: what tasks, pipelines, calls, listeners and `app.topology` need, as one blueprint."""

    blueprint: Blueprint
    #: What is this app's own to judge on a broker that was seen.
    scope: Callable[[Survey], Scope]
    #: What may be missing, because it is made when it is needed, but must be right where it was seen.
    where_there: Callable[[Survey], Blueprint] | None = None

    def wanted(self, seen: Survey) -> Blueprint:
        """All that a broker that was seen should have."""
        return self.blueprint if self.where_there is None else self.blueprint.merged(self.where_there(seen))

    def differences(self, seen: Survey) -> list[Difference]:
        """All in which a broker differs, in the order in which it is mended."""
        return plan(self.wanted(seen), seen.blueprint, self.scope(seen))
