"""What viewers give: always the same for a plan, and each gift with an id of its own."""

import random
from dataclasses import dataclass
from typing import NamedTuple


class Gift(NamedTuple):
    id: str
    streamer: str
    coins: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much, to how many."""

    coins: int
    gifts: int
    streamers: int
    seed: int = 2026

    def made(self) -> list[Gift]:
        """Gifts that come to so many coins, most of them to a few streamers."""
        chance = random.Random(self.seed)
        cuts = sorted(chance.sample(range(1, self.coins), self.gifts - 1))
        amounts = [after - before for before, after in zip([0, *cuts], [*cuts, self.coins], strict=True)]
        return [
            Gift(f"gift-{number}", f"s{int(self.streamers * chance.random() ** 2)}", amount)
            for number, amount in enumerate(amounts)
        ]
