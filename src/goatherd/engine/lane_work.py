"""What a worker needs to work on lanes as well."""

from dataclasses import dataclass

from goatherd.engine.lane_entry import LaneEntry
from goatherd.engine.lane_source import LaneSource


@dataclass(frozen=True, kw_only=True)
class LaneWork:
    """The lanes of one worker."""

    source: LaneSource
    #: For keyed jobs that came by the broker.
    entry: LaneEntry
