"""What was seen on a live broker."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from goatherd.model.blueprint import Blueprint, PolicySpec
from goatherd.model.difference import Crowd


@dataclass(frozen=True, kw_only=True)
class Survey:
    """One look at one virtual host."""

    blueprint: Blueprint
    #: How full the queues are; the broker counts every few seconds.
    crowds: Mapping[str, Crowd] = field(default_factory=dict)
    #: The type of queues that say none.
    default_type: str = "classic"
    #: Those of the broker's operators, which count besides all others; none where this user is not told.
    operator_policies: tuple[PolicySpec, ...] = ()
    #: Programs of others that are connected now, in words; None where that is not known.
    strangers: tuple[str, ...] | None = None
    #: What could not be seen, in words; a difference there stays unknown.
    unseen: tuple[str, ...] = ()
