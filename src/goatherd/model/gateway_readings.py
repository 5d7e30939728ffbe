"""What a gateway has counted so far."""

from collections.abc import Mapping

import msgspec

from goatherd.model.readings import Spread


class GatewayReadings(msgspec.Struct, frozen=True, kw_only=True):
    """Counts since the process started, and what is now."""

    connections: int
    jobs: int
    distributed: int
    dropped: int
    #: Snapshots sent in the place of events, by why.
    resyncs: Mapping[str, int]
    #: How long clients waited for their first bytes.
    first_bytes: Spread
