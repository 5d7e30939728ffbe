"""What a router has done so far, and how far behind it is."""

import msgspec


class RouterReadings(msgspec.Struct, frozen=True, kw_only=True):
    """Counts since the router started; how far behind it is, as of some seconds ago."""

    #: Events that went into the history, and those that watchers on another server were told of.
    noted: int = 0
    relayed: int = 0
    #: Events that watchers were not told of, because their server was away; they look for themselves.
    unrelayed: int = 0
    #: Events that somebody had taken and not finished.
    reclaimed: int = 0
    #: Events that were gone before a router had finished with them, in the last week by all that is known: beyond the
    #: limit of what waits for routers, and after one had taken them.
    dropped: int = 0
    vanished: int = 0
    #: Events that nobody could read.
    unreadable: int = 0
    #: Events that nobody has taken, the age of the oldest in seconds, and those that were taken and not finished.
    waiting: int = 0
    behind: float = 0.0
    unsettled: int = 0
