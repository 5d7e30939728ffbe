"""The suite of the broker port: every adapter passes it, with at least two clients that compete."""

from goatherd.testing.suites.broker_features import BrokerFeatures
from goatherd.testing.suites.burial import BurialCases
from goatherd.testing.suites.competition import CompetitionCases
from goatherd.testing.suites.crash import CrashCases
from goatherd.testing.suites.delay import DelayCases
from goatherd.testing.suites.delivery import DeliveryCases
from goatherd.testing.suites.lifetimes import LifetimeCases
from goatherd.testing.suites.settling import SettlingCases
from goatherd.testing.suites.topology import TopologyCases

__all__ = ["BrokerFeatures", "BrokerSuite"]


class BrokerSuite(
    DeliveryCases,
    SettlingCases,
    DelayCases,
    BurialCases,
    CompetitionCases,
    CrashCases,
    TopologyCases,
    LifetimeCases,
):
    """Subclass it as Test…, give it `store`, `open` and `cut_off`, and say what is not promised in `features`."""
