"""A tally: counters by key, whose totals become jobs."""

import msgspec

#: Seconds for which the id of an addition is remembered.
REMEMBERED_FOR = 86_400.0
#: What an amount and a total may be, in either direction: what every store and every reader of JSON has exactly.
LARGEST = 2**53 - 1


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """A key's total, set apart to become one job; there is at most one of a key at a time."""

    key: str
    #: Of the batches of its key; greater than that of every batch before it, also in a store that was emptied.
    seq: int
    total: int
