"""The suite of the lanes port: every adapter passes it, with several clients on one store."""

from goatherd.testing.suites.lane_claims import ClaimCases
from goatherd.testing.suites.lane_delays import DelayCases
from goatherd.testing.suites.lane_leases import LeaseCases
from goatherd.testing.suites.lane_letters import LetterCases
from goatherd.testing.suites.lane_limits import LimitCases
from goatherd.testing.suites.lane_numbers import NumberCases
from goatherd.testing.suites.lane_operations import OperationCases
from goatherd.testing.suites.lane_orders import OrderCases
from goatherd.testing.suites.lane_repeats import RepeatCases
from goatherd.testing.suites.lane_settlements import SettlementCases
from goatherd.testing.suites.lane_waits import WaitCases
from goatherd.testing.suites.lane_wakes import WakeCases

__all__ = ["LanesSuite"]


class LanesSuite(
    OrderCases, ClaimCases, LeaseCases, SettlementCases, DelayCases, RepeatCases, NumberCases, LimitCases, WakeCases,
    LetterCases, OperationCases, WaitCases,
):  # fmt: skip
    """Subclass it as Test…, give it `store`, `open`, `wipe` and `kept`."""
