"""Faults on purpose, so that callers can be tested against a service that is slow, fails and dies.

`AI_MISCHIEF=slow=0.2:3,fail=0.1,die=0.01` means: of 100 jobs 20 wait for up to 3 s (2 s if it is not said), 10 fail,
and with 1 the process ends at once, before the job's work or after it. `seed=7` makes the choice repeatable.
"""

import asyncio
import logging
import os
import random
from collections.abc import AsyncIterator
from typing import Annotated, NoReturn

import msgspec
from msgspec import Meta

from goatherd import Context
from goatherd.errors import SettingsError

log = logging.getLogger("kitchen.ai")

Share = Annotated[float, Meta(ge=0, le=1)]


class OnPurpose(Exception):
    """A failure that AI_MISCHIEF asked for."""


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of all jobs, and how slow."""

    slow: Share = 0.0
    #: The longest wait, in seconds.
    slowest: Annotated[float, Meta(ge=0, le=3600)] = 2.0
    fail: Share = 0.0
    die: Share = 0.0
    seed: int | None = None


def read_plan(written: str) -> Plan:
    """The plan in AI_MISCHIEF; raises SettingsError."""
    members: dict[str, str] = {}
    for part in written.split(","):
        name, _, value = part.strip().partition("=")
        members[name], _, seconds = value.partition(":")
        if seconds:
            members[f"{name}est"] = seconds
    try:
        return msgspec.convert(members, Plan, strict=False)
    except msgspec.ValidationError as error:
        form = "it must look like slow=0.2:3,fail=0.1,die=0.01,seed=7, with shares from 0 to 1"
        raise SettingsError([f"AI_MISCHIEF is {written!r}: {form}"]) from error


class Mischief:
    """Does to every job what the plan says."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._dice = random.Random(plan.seed)

    async def around(self, context: Context) -> AsyncIterator[None]:
        """Wrap one attempt; for `app.around`."""
        plan, dice = self._plan, self._dice
        dies, late = dice.random() < plan.die, dice.random() < 0.5
        if dies and not late:
            _die(context.job_id)
        if dice.random() < plan.slow:
            await asyncio.sleep(dice.uniform(0, plan.slowest))
        if dice.random() < plan.fail:
            raise OnPurpose("AI_MISCHIEF let this job fail")
        yield
        if dies:
            _die(context.job_id)


def _die(job_id: str) -> NoReturn:
    log.warning("AI_MISCHIEF ends this process during job %s.", job_id)
    os._exit(1)  # nothing is tidied up: as if it were killed
