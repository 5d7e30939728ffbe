"""What the attempts of a job say, known to those who write it and to those who check it.

Attempts are counted here by generation, from 1: two of them may have the same number for the store, when a broker gave
an attempt away twice. Everything that a generation says is counted from 1, too; every so-manieth thing is a stage,
the others are pieces of text, each unlike all others.
"""

import random
import re
from dataclasses import dataclass

#: What makes trouble on a wire of lines and JSON: line ends of all kinds, quotes, letters of many bytes.
ODDITIES = (
    "\n", "\r\n", "\u2028", '"', "\\", "\t", "é", "🐐", "👩\u200d🌾",
    "data: ", "\n\n", "id: 7-7", "\u0000", "—", " ", "end",
)  # fmt: skip

PIECE = re.compile(r"«(\d+)\.(\d+):([^»]*)»", re.DOTALL)
STAGE = re.compile(r"g(\d+)s(\d+)")


@dataclass(frozen=True, order=True)
class Mark:
    """One thing that is said: in which generation, and the how-manieth."""

    generation: int
    number: int

    def __str__(self) -> str:
        return f"{self.generation}.{self.number}"


class Garbled(Exception):
    """A text that nobody wrote."""


@dataclass(frozen=True)
class Script:
    """One job."""

    job: str
    #: Things said by a generation that comes to its end.
    length: int
    #: Every so-manieth thing is a stage.
    stage_every: int

    def is_stage(self, number: int) -> bool:
        return number % self.stage_every == 0

    def stage(self, mark: Mark) -> str:
        return f"g{mark.generation}s{mark.number}"

    def percent(self, mark: Mark) -> float:
        return round(100 * mark.number / self.length, 2)

    def piece(self, mark: Mark) -> str:
        chance = random.Random(f"{self.job} {mark}")
        filling = "".join(chance.choices(ODDITIES, k=chance.randrange(6)))
        return f"«{mark}:{filling}»"

    def text(self, generation: int, through: int | None = None) -> str:
        """The text of a generation, up to something it says."""
        last = self.length if through is None else through
        marks = (Mark(generation, number) for number in range(1, last + 1))
        return "".join(self.piece(mark) for mark in marks if not self.is_stage(mark.number))

    def marks(self, text: str) -> list[Mark]:
        """The pieces that make up a text; raises Garbled unless it is made of whole pieces of this job alone."""
        marks = [Mark(int(found[1]), int(found[2])) for found in PIECE.finditer(text)]
        if "".join(map(self.piece, marks)) != text:
            raise Garbled(f"{text!r} is not what was written")
        return marks

    def result(self, generation: int) -> str:
        return f"{self.job} by {generation}"


def mark_of_stage(name: str) -> Mark | None:
    """What a stage's name says; None for the platform's own."""
    found = STAGE.fullmatch(name)
    return Mark(int(found[1]), int(found[2])) if found else None
