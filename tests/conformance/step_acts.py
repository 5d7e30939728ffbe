"""How those who act in the machine of runs come to what they do, and how all that is there gets done at last."""

from collections.abc import Sequence

from goatherd.model.run_record import (
    WHOLE,
    Arrived,
    Decision,
    Foresee,
    PassOver,
    Spread,
    Succeed,
    Trouble,
    UnitClaim,
    UnitKey,
    UnitSettlement,
)
from tests.conformance.step_draws import Settling, Spreading
from tests.conformance.step_stage import HOUR, StepStage

TROUBLE = Trouble(error_type="TypeError", message="does not fit")


class StepActs(StepStage):
    """Used by the rules."""

    def picked(self, picks: Sequence[int]) -> list[UnitKey]:
        """Some of the units that there are."""
        keys = self.book.all_keys()
        return [keys[pick % len(keys)] for pick in picks if keys]

    def is_to_be_spread(self, key: UnitKey) -> bool:
        """Whether a unit is the head of a list that is not known yet."""
        found = self.book.find(key)
        whole = key.item == WHOLE and key.step.endswith("items")
        return whole and found is not None and found[1].phase == "do"

    def settlements(self, settling: Sequence[Settling]) -> list[UnitSettlement]:
        """Of anything that anybody ever had."""
        if not self.claims:
            return []
        return [self.settlement(each, self.claims[-1 - each.back % len(self.claims)]) for each in settling]

    def settlement(self, settling: Settling, claim: UnitClaim) -> UnitSettlement:
        return settling.of(claim, self.next_number(), self.onward(claim.key))

    def spread(self, key: UnitKey, spreading: Spreading) -> Spread:
        return Spread(key=key, parcels=spreading.parcels(), at_once=spreading.at_once, onward=self.onward(key))

    def decision(self, key: UnitKey, how: str, spreading: Spreading) -> Decision | None:
        """What may be decided about a unit, if anything of this kind may be."""
        run, number = self.book.runs[key.run], self.next_number()
        match how:
            case "spread" if self.is_to_be_spread(key):
                return self.spread(key, spreading)
            case "pass over" if key.item == WHOLE:
                return PassOver(key=key, onward=self.onward(key))
            case "foresee" if key.item == WHOLE:
                return Foresee(key=key, trouble=TROUBLE, letter=b"letter %d" % number)
            case "arrive" if run.state != "cancelled" and not self.is_to_be_spread(key):
                result = b",".join([b"%d" % number] * max(1, run.units[key].size))
                return Arrived(key=key, result=result, onward=self.onward(key))
        return None

    def postpone(self, keys: Sequence[UnitKey], seconds: float) -> None:
        client = self.begin()
        self.wait(client.postpone(keys, seconds))
        for key in keys:
            unit = self.book.runs[key.run].units[key]
            unit.tell, unit.tellings = self.book.now + seconds, unit.tellings - 1
        self.look()

    def do_all(self) -> None:
        """Whatever is ready is told of, claimed and done, again and again, until nothing is."""
        while not all(run.state == "done" for run in self.book.runs.values()):
            self.clock.advance(HOUR + 100.0)
            turns = self.take(1000)
            heads = [turn.key for turn in turns if self.is_to_be_spread(turn.key)]
            rest = [turn.key for turn in turns if not self.is_to_be_spread(turn.key)]
            assert turns, f"I6: these do not end: {[(id, run.state) for id, run in self.book.runs.items()]}"
            spread = [self.spread(key, Spreading([1, 2], 1)) for key in heads]
            answer = self.exchange(decided=spread, wanted=rest)
            claims = [claim for claim in answer.claims if isinstance(claim, UnitClaim)]
            assert len(claims) + len(heads) == len(turns), "I5: what is taken is there for who claims it"
            self.exchange(settled=[self._success(claim) for claim in claims])

    def _success(self, claim: UnitClaim) -> Succeed:
        result = b",".join([b"1"] * max(1, claim.size))
        return Succeed(hold=claim.hold, result=result, onward=self.onward(claim.key))
