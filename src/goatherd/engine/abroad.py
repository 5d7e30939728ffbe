"""Units that programs of others do: ours in the meantime, told of once for each attempt, given up in the end."""

from dataclasses import dataclass

from goatherd.engine.run_letters import letter_of
from goatherd.engine.step_book import Place
from goatherd.engine.unit_settling import after_failure
from goatherd.model.message import Message
from goatherd.model.run_record import Turn, UnitClaim, UnitSettlement
from goatherd.model.step_wire import message_abroad
from goatherd.model.verdict import dead

#: Seconds that foreign workers have for a step without a time-out.
PATIENCE = 3600.0


@dataclass(frozen=True, kw_only=True)
class Abroad:
    """One of them, which is to be claimed for as long as they may take."""

    turn: Turn
    place: Place
    payload: bytes
    #: Where they answer.
    answers: str

    @property
    def lease(self) -> float:
        """Seconds that they have."""
        return self.place.step.task.timeout or PATIENCE

    def message(self, claim: UnitClaim, now: float) -> Message:
        """What they are told; nobody answered as often as a lease of it ran out."""
        attempt = claim.failures + claim.deaths + 1
        return message_abroad(
            self.turn, self.place.step.task, payload=self.payload, now=now, attempt=attempt, reply_to=self.answers
        )

    def given_up(self, claim: UnitClaim, now: float) -> UnitSettlement | None:
        """What becomes of it if they did not do it as often as it may be tried; None if they may try."""
        if claim.deaths <= self.place.step.task.retry.retries:
            return None
        times = "once" if claim.deaths == 1 else f"{claim.deaths} times"
        told = f"no foreign worker answered within {self.lease:g} s, {times}"
        verdict = dead("failed", "TimeoutError", told, claim.failures + claim.deaths, now)
        letter = letter_of(self.place, claim, self.payload, verdict.burial, for_others=True, back=self.answers)
        return after_failure(self.place, claim, verdict, letter)
