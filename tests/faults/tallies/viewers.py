"""A process that gives a share of the gifts, each until it is counted; killed and started anew, it begins again."""

import asyncio
import sys
from collections.abc import Sequence

import msgspec

from goatherd.errors import Unavailable
from tests.faults.tallies.coins import app, gifts, tell_up
from tests.faults.tallies.gifts import Gift, Plan

#: Gifts that are on their way at once.
AT_ONCE = 10


async def give(gift: Gift) -> None:
    """Try until it is counted; every fifth is given once more, as by one who has not heard the answer."""
    for _ in range(2 if gift.coins % 5 == 0 else 1):
        while True:
            try:
                await gifts.add(gift.streamer, gift.coins, id=gift.id)
            except Unavailable:
                await asyncio.sleep(0.05)
            else:
                break


async def main(made: Sequence[Gift]) -> None:
    left = iter(made)

    async def give_some() -> None:
        for gift in left:
            await give(gift)
            await asyncio.sleep(0.02)

    async with app:
        tell_up()
        await asyncio.gather(*(give_some() for _ in range(AT_ONCE)))


if __name__ == "__main__":
    plan = Plan(**msgspec.json.decode(sys.argv[1]))
    share, shares = int(sys.argv[2]), int(sys.argv[3])
    asyncio.run(main(plan.made()[share::shares]))
