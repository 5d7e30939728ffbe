"""The suite of the port of pipelines' records: every adapter passes it, with several clients on one store."""

from goatherd.testing.suites.step_begins import BeginCases
from goatherd.testing.suites.step_cancels import CancelCases
from goatherd.testing.suites.step_claims import UnitClaimCases
from goatherd.testing.suites.step_decisions import DecisionCases
from goatherd.testing.suites.step_ends import EndCases, ResultCases
from goatherd.testing.suites.step_failures import FailureCases
from goatherd.testing.suites.step_forgets import ForgetCases
from goatherd.testing.suites.step_leases import UnitLeaseCases
from goatherd.testing.suites.step_looks import LookCases
from goatherd.testing.suites.step_parcels import ParcelCases
from goatherd.testing.suites.step_places import AtOnceCases, SeparationCases
from goatherd.testing.suites.step_repeats import UnitRepeatCases
from goatherd.testing.suites.step_resumes import ResumeCases
from goatherd.testing.suites.step_retries import RequeueCases, RetryCases
from goatherd.testing.suites.step_settlements import UnitSettlementCases
from goatherd.testing.suites.step_tokens import TokenCases
from goatherd.testing.suites.step_turns import TurnCases

__all__ = ["StepsSuite"]


class StepsSuite(
    BeginCases, TurnCases, UnitClaimCases, TokenCases, UnitLeaseCases, UnitSettlementCases, FailureCases, ParcelCases,
    AtOnceCases, SeparationCases, DecisionCases, UnitRepeatCases, ResultCases, EndCases, ForgetCases, CancelCases,
    RetryCases, ResumeCases, RequeueCases, LookCases,
):  # fmt: skip
    """Subclass it as Test…, give it `store`, `open` and `kept`."""
