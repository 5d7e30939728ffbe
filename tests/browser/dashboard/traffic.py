"""What customers of the shop do: in the hour before the picture, and while it is taken."""

import asyncio
import random
from collections.abc import Iterator
from itertools import count
from math import sin
from typing import Any

from goatherd import Job
from goatherd.desk.queues import pause
from goatherd.model.process import Counted, ProcessReport, ProcessState
from goatherd.ports.clock import SystemClock
from goatherd.wiring.control import open_process_records
from tests.browser.dashboard import gallery

HOUR, STEP = 3600, 30
#: Jobs a second of each queue, on average.
USUAL = {"mail": 24.0, "photos": 6.0, "payments": 6.0, "reviews": 3.0}


class Past(SystemClock):
    """A clock that goes after."""

    def __init__(self, moment: float) -> None:
        self.moment = moment

    def now(self) -> float:
        return self.moment


async def have_an_hour_behind() -> None:
    """Have counted what an hour of work would have counted."""
    app, chance = gallery.app, random.Random(7)
    end = app.clock.now()
    clock = Past(end)
    records = await open_process_records(app.settings, clock)
    worker = ProcessState(id="before", host="shop-1", pid=1, roles=("worker",), version="", started=end - HOUR)
    try:
        for number, ago in enumerate(range(HOUR - STEP, -1, -STEP), start=1):
            clock.moment = end - ago
            wave = 1 + 0.35 * sin(ago / 700) + 0.12 * sin(ago / 130) + chance.uniform(-0.06, 0.06)
            # The bank was away for some minutes.
            away = 0.35 if 1500 < ago < 1800 else 0.01
            counted = {name: _counted(rate * wave * STEP, away, name) for name, rate in USUAL.items()}
            report = ProcessReport(state=worker, number=number, counted=counted, seconds=STEP)
            await records.report(report, alive=1.0)
        await records.leave(worker.id)
    finally:
        await records.close()


def _counted(jobs: float, away: float, queue: str) -> Counted:
    share = away if queue == "payments" else 0.01
    return Counted(
        sent=round(jobs), done=round(jobs * (1 - share)), retried=round(jobs * share * 2), dead=round(jobs * share / 20)
    )


async def trouble() -> None:
    """What an operator has to look at."""
    app, charge = gallery.app, gallery.charge_card
    await pause(app, "exports")
    await app.send_many(gallery.export_orders.job(month=month) for month in ("2030-01", "2030-02", "2030-03"))
    await app.send_many(charge.job(order=3504 + 1000 * each, cents=2500 + 310 * each, token="s") for each in range(12))
    await app.send_many(charge.job(order=7451 + 1000 * each, cents=4900 + 100 * each, token="s") for each in range(5))
    await app.send_many(
        gallery.resize_photo.job(photo=f"IMG_{number}.heic", width=1280) for number in (4711, 4715, 4720)
    )
    await app.send_many(gallery.publish_review.job(product="cowbell", stars=stars) for stars in (1, 5, 4))


async def customers() -> None:
    """Send jobs until it is cancelled."""
    for order in count(10_000):
        await gallery.app.send_many(_wishes(order))
        if order % 10 == 0:
            await gallery.send_mail.options(delay=3600).send(to="ada@example.org", subject="How did you like it?")
        await asyncio.sleep(0.15)


def _wishes(order: int) -> Iterator[Job[Any]]:
    if order % 1000 not in (451, 504):
        yield gallery.charge_card.job(order=order, cents=random.randrange(900, 9900), token="s")
    for name in random.sample(("ada", "grace", "linus", "margaret", "guido", "barbara"), 4):
        yield gallery.send_mail.job(to=f"{name}@example.org", subject=f"Your order {order}")
    yield gallery.resize_photo.job(photo=f"IMG_{order}.jpg", width=random.choice((320, 640, 1280)))
    if order % 2:
        yield gallery.publish_review.job(product=random.choice(("bridge", "hay", "rope")), stars=5)
    if order % 4 == 0:
        yield gallery.hand_over.job(random.choice(("basel", "bern", "zurich")), order)
