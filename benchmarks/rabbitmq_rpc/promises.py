"""What a caller can rely on."""

from benchmarks.contender import Promise

#: Requests that a server holds: enough for all that are on their way at once.
PREFETCH = 200


def confirmed(note: str) -> Promise:
    """A caller learns whether the broker has its request, and a request is acked when the broker has its answer."""
    return Promise(delivery="at least once", synced=True, note=note)


def unconfirmed(note: str) -> Promise:
    """Nobody is told whether a request, or an answer, has arrived."""
    return Promise(delivery="at least once", synced=False, note=note)
