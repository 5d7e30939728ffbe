"""The scenes. Each plays one promise on real processes and checks that it held."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from goatherd.cli.demo.by_itself import by_the_clock, listeners, tally
from goatherd.cli.demo.dashboard import dashboard
from goatherd.cli.demo.order import order
from goatherd.cli.demo.pipeline import pipeline
from goatherd.cli.demo.shop import app, bake, price, print_label, remind, send_mail, take_payment
from goatherd.cli.demo.stage import PATIENCE, SceneFailed, Stage
from goatherd.cli.demo.streaming import stream
from goatherd.desk.queues import queues
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.errors import JobFailed
from goatherd.model.dead_letter import DeadLetter, LetterFilter

Scene: TypeAlias = Callable[[Stage], Awaitable[None]]


async def fire_and_forget(stage: Stage) -> None:
    """A job is durable when send returns, and is done once."""
    stage.open_scene("Send", 'await send_mail.send(to="ada@example.org")')
    ids = await app.send_many(send_mail.job(to=f"reader-{number}@example.org") for number in range(1000))
    await stage.say("1,000 mails are safe before any worker runs.")
    pid = await stage.start_worker()
    await stage.say(f"A worker starts (pid {pid}).")
    await stage.until("all mails", lambda: len(stage.notes("to")) >= len(ids))
    done = Counter(note["job"] for note in stage.notes("to"))
    await stage.check(
        "every mail was sent, each once", set(done.values()) == {1} and set(done) == set(ids), "1,000 of 1,000"
    )
    sent = time.time()
    last = await send_mail.send(to="ada@example.org")
    await stage.until("one more mail", lambda: any(note["job"] == last for note in stage.notes("to")))
    waited = next(note["at"] for note in stage.notes("to") if note["job"] == last) - sent
    await stage.check("an idle worker in another process starts at once", waited < 1, f"{waited * 1000:.1f} ms")


async def call(stage: Stage) -> None:
    """Ask a worker and have its answer, or its error, at once."""
    stage.open_scene("Call", "answer = await price.call(items=14)")
    asked = time.monotonic()
    answer = await price.options(deadline=PATIENCE).call(items=14)
    took = time.monotonic() - asked
    await stage.check("a worker answers", answer == 42, f"{answer}, in {took * 1000:.1f} ms")
    try:
        told = f"{await price.call(items=0)}"
    except JobFailed as error:
        told = f"{error.error_type}: {error.message}"
    await stage.check("its error reaches whoever asked", told.startswith("ValueError"), told)


async def retries(stage: Stage) -> None:
    """A failed attempt is tried again, later each time."""
    stage.open_scene(
        "Retry", "@app.task(retry=Retry(3, base=0.2))\nasync def take_payment(ctx: Context, order: int): ..."
    )
    await take_payment.send(order=7)
    await stage.say("The bank is away for the first two attempts.")
    await stage.until("the payment", lambda: len(stage.notes("order")) >= 3)
    attempts = stage.notes("order")
    waits = [later["at"] - earlier["at"] for earlier, later in pairwise(attempts)]
    shown = ", then ".join(f"after {wait:.2f} s" for wait in waits)
    numbers = [note["attempt"] for note in attempts]
    await stage.check("the third attempt succeeds", numbers == [1, 2, 3] and waits[0] >= 0.2 and waits[1] >= 0.4, shown)


async def dead_letter_and_replay(stage: Stage) -> None:
    """What cannot be done is kept with its reason, and put back when the cause is gone."""
    stage.open_scene("Dead letter", "goatherd dead list shop:app\ngoatherd dead replay shop:app --all")
    await print_label.send(parcel=42)
    await stage.say("The label printer is out of paper: both attempts fail.")
    office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
    letter = await _first_letter(stage, office)
    told = f"{letter.task}({letter.arguments}): {letter.message}"
    await stage.check("it is a dead letter that says why", letter.attempts == 2, told)
    stage.put("paper")
    await stage.say("Somebody puts paper in, and replays the letter.")
    await office.replay_one(letter.id)
    await stage.until("the label", lambda: bool(stage.notes("parcel")))
    left = [other async for other in office.find(LetterFilter())]
    await stage.check(
        "the same job is done now", stage.notes("parcel")[0]["job"] == letter.job_id and not left, "none left"
    )


async def delay(stage: Stage) -> None:
    """A short delay is not held up by a long one, and no job is early."""
    stage.open_scene("Delay", 'await remind.options(delay=0.5).send(customer="Bob")')
    await remind.options(delay=60).send(customer="Eve, in a minute")
    sent = time.time()
    bob = await remind.options(delay=0.5).send(customer="Bob, in half a second")
    await stage.until("the reminder", lambda: any(note["job"] == bob for note in stage.notes("customer")))
    late = next(note["at"] for note in stage.notes("customer") if note["job"] == bob) - sent - 0.5
    await stage.check(
        "half a second behind a minute arrives on time", 0 <= late < 1, f"{late * 1000:.1f} ms late, never early"
    )


async def killed_worker(stage: Stage) -> None:
    """A worker that dies in the middle loses nothing."""
    stage.open_scene("Kill", "kill -9 <worker>")
    victim = await stage.start_worker()
    await _both_work(stage)
    ids = await app.send_many(bake.job(cake=number) for number in range(60))
    await stage.until("the victim's first cake", lambda: any(note["pid"] == victim for note in stage.notes("cake")))
    stage.kill_worker(victim)
    await stage.say(f"Worker {victim} is killed with cakes in its oven; another one lives.")
    await stage.until("all cakes", lambda: {n["job"] for n in stage.notes("cake") if n["step"] == "out"} >= set(ids))
    begun = Counter(note["job"] for note in stage.notes("cake") if note["step"] == "in")
    twice = sum(1 for count in begun.values() if count > 1)
    await stage.check("all cakes are baked", set(begun) == set(ids), f"60 of 60, {twice} begun again")
    letters = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
    dead = [letter async for letter in letters.find(LetterFilter())]
    await stage.check("no healthy job was given up", not dead, "0 dead letters")


async def _both_work(stage: Stage) -> None:
    """Wait until the second worker takes jobs, too: the first alone would bake all cakes before it is there."""
    deadline = time.monotonic() + PATIENCE
    while sum(queue.consumers for queue in await queues(app) if queue.name == app.name) < 2:
        if time.monotonic() > deadline:
            raise SceneFailed(f"the second worker did not start. {stage.last_words()}")
        await asyncio.sleep(0.02)


async def _first_letter(stage: Stage, office: DeadLetterOffice) -> DeadLetter:
    found: list[DeadLetter] = []
    deadline = time.monotonic() + PATIENCE
    while not found:
        if time.monotonic() > deadline:
            raise SceneFailed("the job did not become a dead letter")
        await asyncio.sleep(0.02)
        found = [letter async for letter in office.find(LetterFilter(task="print_label"))]
    return found[0]


SCENES: Sequence[Scene] = (
    fire_and_forget,
    call,
    retries,
    dead_letter_and_replay,
    delay,
    order,
    pipeline,
    by_the_clock,
    tally,
    listeners,
    killed_worker,
    stream,
    dashboard,
)
