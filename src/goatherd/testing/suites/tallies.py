"""The suite of the tallies port: every adapter passes it, with several clients on one store."""

from goatherd.testing.suites.tally_additions import AdditionCases
from goatherd.testing.suites.tally_batches import BatchCases
from goatherd.testing.suites.tally_posts import PostCases

__all__ = ["TalliesSuite"]


class TalliesSuite(AdditionCases, BatchCases, PostCases):
    """Subclass it as Test…, give it `store`, `open`, `open_lanes`, `wipe` and `kept`."""
