"""Which differences `goatherd topology apply` is to mend, of all that there are."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from goatherd.cli.output import Failed
from goatherd.engine.topology.meant import meant_by, names_of
from goatherd.model.blueprint import Blueprint
from goatherd.model.difference import Difference


@dataclass(frozen=True, kw_only=True)
class Choice:
    """As the user said it."""

    allow_loss: bool
    #: Names of queues, exchanges and policies; all if there are none.
    only: tuple[str, ...]

    def would_do(self, differences: Sequence[Difference]) -> list[Difference]:
        """Those that are to be mended; what is shadowed goes with what is in front of it."""
        meant = meant_by(self.only, differences)
        return [each for each in meant if each.mendable and each.change != "shadowed" and self._is_allowed(each)]

    def refused(self, differences: Sequence[Difference]) -> list[Difference]:
        """Those that are meant, but could lose something."""
        return [each for each in meant_by(self.only, differences) if not self._is_allowed(each)]

    def check_names(self, wanted: Blueprint, differences: Sequence[Difference]) -> None:
        """Raise Failed for a name that nothing has: a typing mistake must not look as if all were well."""
        known = {each.name for each in wanted.queues} | {each.name for each in wanted.exchanges}
        known |= {each.name for each in wanted.policies}
        known |= {name for each in differences for name in names_of(each)}
        for name in self.only:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                instead = f"Did you mean {near[0]!r}?" if near else "See goatherd topology show and plan."
                raise Failed(f"There is no queue, exchange or policy {name!r}, wanted or found. {instead}")

    def _is_allowed(self, difference: Difference) -> bool:
        return difference.is_safe or self.allow_loss
