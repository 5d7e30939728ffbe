"""A worker of a pipeline that dies at the very moment that it is told.

The package has no switch for this: what is to be fatal is wrapped here.
"""

import dataclasses
import os
import signal
from collections.abc import Iterable, Sequence

from goatherd import Context, Goatherd, Pipeline
from goatherd.model.message import Delivery, Message
from goatherd.model.run_record import WHOLE, Spread, Succeed, UnitClaim, UnitExchange, UnitExchanged, UnitKey
from goatherd.model.settings import Settings
from goatherd.model.step_wire import read_note
from goatherd.ports.clock import Clock
from goatherd.ports.steps import Steps
from goatherd.wiring import OpenSteps, Ports, open_ports
from tests.faults.pipelines.journal import mark

#: When it dies, if at all: `after result plan`, `before claim each/1`.
DIES = "DRIVE_DIES"
NAME = "DRIVE_APP"
UNITS = ("plan", "each/0", "each/1", "join")
MOMENTS = (
    *(f"{when} {what} {unit}" for what in ("claim", "result") for when in ("before", "after") for unit in UNITS),
    *(f"{when} message {unit}" for when in ("before", "after") for unit in UNITS[1:]),
    *(f"{when} spread each" for when in ("before", "after")),
    *(f"before ack {unit}" for unit in UNITS),
)


def declare(app: Goatherd) -> Pipeline[int, list[int]]:
    """A list, its items one after the other, and a join."""
    drive = app.pipeline("drive", takes=int, gives=list[int])

    @drive.step(after=drive.input)
    async def plan(ctx: Context, count: int) -> list[int]:
        mark("start", ctx.fence)
        return list(range(count))

    @drive.map(over=plan, concurrency=1)
    async def each(ctx: Context, number: int) -> int:
        mark("start", ctx.fence)
        return number + 1

    @drive.step(after=each)
    async def join(ctx: Context, numbers: list[int]) -> list[int]:
        mark("start", ctx.fence)
        return numbers

    return drive


async def open_fatal(settings: Settings, clock: Clock) -> Ports:
    """The ports of an app that dies when it comes to its moment."""
    ports = await open_ports(settings, clock)
    publish, ack = ports.broker.publish, ports.broker.ack

    async def fatal_publish(messages: Sequence[Message]) -> None:
        named = [read_note(message.body).key for message in messages]
        die("before message", named)
        await publish(messages)
        die("after message", named)

    def fatal_ack(delivery: Delivery) -> None:
        die("before ack", [read_note(delivery.message.body).key])
        ack(delivery)

    setattr(ports.broker, "publish", fatal_publish)  # noqa: B010 - it is somebody else's
    setattr(ports.broker, "ack", fatal_ack)  # noqa: B010

    async def open_steps() -> OpenSteps:
        opened = await ports.open_steps()
        make_fatal(opened.steps)
        return opened

    return dataclasses.replace(ports, open_steps=open_steps)


def make_fatal(steps: Steps) -> None:
    """Let it be deadly to trade with the records."""
    exchange = steps.exchange

    async def fatal(told: UnitExchange) -> UnitExchanged:
        done = [each.hold.key for each in told.settled if isinstance(each, Succeed)]
        spread = [each.key for each in told.decided if isinstance(each, Spread)]
        die("before claim", told.wanted)
        die("before result", done)
        die("before spread", spread)
        answer = await exchange(told)
        die("after claim", [claim.key for claim in answer.claims if isinstance(claim, UnitClaim)])
        die("after result", done)
        die("after spread", spread)
        return answer

    setattr(steps, "exchange", fatal)  # noqa: B010 - it is somebody else's


def die(moment: str, units: Iterable[UnitKey]) -> None:
    names = [unit.step if unit.item == WHOLE else f"{unit.step}/{unit.item}" for unit in units]
    if os.environ.get(DIES, "") in [f"{moment} {name}" for name in names]:
        os.kill(os.getpid(), signal.SIGKILL)


app = Goatherd(os.environ.get(NAME, "drive"))
drive = declare(app)
app.opener = open_fatal
