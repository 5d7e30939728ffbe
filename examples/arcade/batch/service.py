"""All of the batch side: `goatherd run examples.arcade.batch.service:arcade --roles worker,scheduler`."""

import logging
from collections.abc import AsyncIterator

from examples.arcade.batch import fixed, gifts, inboxes, letters, listeners
from examples.arcade.batch.bookings import NoCoins
from examples.arcade.batch.jobs import game_loop, leaderboard, maintenance, nft, payment
from examples.arcade.batch.matching import NotPlayable
from examples.arcade.batch.rooms import SeatTaken
from examples.arcade.herd import arcade, database
from examples.running.database.database import DatabaseAway
from goatherd import Context, GiveUp, RetryLater

__all__ = ["arcade"]

#: Where its tasks are declared.
PARTS = (fixed, gifts, inboxes, letters, listeners, game_loop, leaderboard, maintenance, nft, payment)

log = logging.getLogger("arcade")


@arcade.around
async def patient(ctx: Context) -> AsyncIterator[None]:
    """What passes by itself is tried again for as long as that takes; what never will is given up at once."""
    try:
        yield
    except DatabaseAway as error:
        ctx.log.warning("%s", error)
        raise RetryLater(after=1, count=False) from error
    except SeatTaken as error:
        raise RetryLater(after=0.1, count=False) from error
    except (NotPlayable, NoCoins) as error:
        raise GiveUp(str(error)) from error


@arcade.lifespan
async def working() -> AsyncIterator[None]:
    """Open the database before the first job, and close it after the last."""
    await database.open()
    log.info("%d parts are loaded", len(PARTS))
    yield
    await database.close()
