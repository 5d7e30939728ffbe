"""A book of runs, kept by hand: what is on record of each unit, and what must be so whatever happens.

It counts nothing: whether a step is done, may begin, or makes room for another parcel, is looked up each time.
"""

from dataclasses import dataclass, field

from goatherd.model.run_record import (
    WHOLE,
    NewRun,
    Phase,
    PlannedStep,
    RunState,
    Trouble,
    UnitHold,
    UnitKey,
    UnitState,
)

OVER = ("done", "skipped")


@dataclass
class Unit:
    """A unit as it must be."""

    key: UnitKey
    state: UnitState = "waiting"
    size: int = 0
    content: bytes = b""
    phase: Phase = "do"
    failures: int = 0
    deaths: int = 0
    trouble: Trouble | None = None
    token: int = 0
    lease: float = 0.0
    due: float = 0.0
    #: When workers are to be told of it.
    tell: float | None = None
    tellings: int = 0
    result: bytes | None = None
    #: Of a head that was spread.
    spread: bool = False
    at_once: int | None = None

    @property
    def has_place(self) -> bool:
        """Whether it counts against those that may be worked on at once."""
        return self.phase == "do" and self.state in ("ready", "running")

    @property
    def is_stuck(self) -> bool:
        return self.state == "failed" or (self.phase == "compensate" and self.state in ("ready", "running"))


@dataclass
class Run:
    """A run as it must be."""

    new: NewRun
    created: float
    state: RunState = "running"
    ended: float = 0.0
    told: bool = False
    failed_step: str = ""
    trouble: Trouble | None = None
    units: dict[UnitKey, Unit] = field(default_factory=dict)

    def head(self, step: str) -> Unit:
        return self.units[UnitKey(run=self.new.id, step=step)]

    def parcels(self, step: str) -> list[Unit]:
        return sorted(
            (unit for unit in self.units.values() if unit.key.step == step and unit.key.item != WHOLE),
            key=lambda unit: unit.key.item,
        )

    @property
    def heads(self) -> list[Unit]:
        return [self.head(step.name) for step in self.new.steps]

    def progress(self, step: str) -> tuple[int, int]:
        """Items that are done or left out, of all."""
        head = self.head(step)
        if not head.spread:
            return int(head.state in OVER), 1
        parcels = self.parcels(step)
        return sum(unit.size for unit in parcels if unit.state in OVER), sum(unit.size for unit in parcels)

    def result(self, step: str) -> bytes | None:
        """As JSON; None if the step is not done."""
        head = self.head(step)
        if head.state == "skipped":
            return b"null"
        if head.state != "done":
            return None
        if not head.spread:
            return head.result
        return b"[" + b",".join(unit.result or b"" for unit in self.parcels(step) if unit.state == "done") + b"]"


class Book:
    """All runs, at a time that others tell."""

    def __init__(self) -> None:
        self.now = 0.0
        self.runs: dict[str, Run] = {}
        self.letters: list[bytes] = []
        #: The newest token of each unit that there ever was, and those under which something was settled.
        self.tokens: dict[UnitKey, int] = {}
        self.settled: set[UnitHold] = set()
        #: What came of the last exchange.
        self.ready = self.ended = False
        self.moved: set[tuple[str, str]] = set()

    def find(self, key: UnitKey) -> tuple[Run, Unit] | None:
        run = self.runs.get(key.run)
        unit = None if run is None else run.units.get(key)
        return None if run is None or unit is None else (run, unit)

    def has(self, hold: UnitHold) -> bool:
        """Whether who shows this has the unit."""
        found = self.find(hold.key)
        return found is not None and found[1].state == "running" and found[1].token == hold.token

    def all_keys(self) -> list[UnitKey]:
        return sorted(key for run in self.runs.values() for key in run.units)

    # --- what happens to a unit ------------------------------------------------------------------------------------

    def begin(self, new: NewRun) -> bool:
        if new.id in self.runs:
            return False
        run = self.runs[new.id] = Run(new=new, created=self.now)
        for step in new.steps:
            key = UnitKey(run=new.id, step=step.name)
            run.units[key] = Unit(key=key)
        self.settle_down(run, due=self.now + new.delay)
        return True

    def make_ready(self, run: Run, unit: Unit, due: float | None = None) -> None:
        unit.state, unit.due, unit.tellings = "ready", self.now if due is None else due, 0
        self.tell_of(run, unit)

    def tell_of(self, run: Run, unit: Unit) -> None:
        unit.tell = max(unit.due, self.now) if run.state == "running" else None
        self.ready = self.ready or unit.tell == self.now

    def end(self, run: Run, unit: Unit, state: UnitState, result: bytes | None = None) -> None:
        unit.state, unit.result, unit.tell = state, result, None
        self.moved.add((run.new.id, unit.key.step))
        self.settle_down(run)

    def begin_again(self, run: Run, unit: Unit) -> None:
        unit.phase, unit.failures, unit.deaths, unit.trouble, unit.tell = "do", 0, 0, None, None
        if unit.size:
            unit.state = "held"
        else:
            self.make_ready(run, unit)

    # --- what follows from it --------------------------------------------------------------------------------------

    def settle_down(self, run: Run, due: float | None = None) -> None:
        """Do all that is due in a run: places are filled, steps end and begin, the run ends."""
        for planned in run.new.steps:
            head = run.head(planned.name)
            parcels = run.parcels(planned.name)
            if head.state == "spread" and all(unit.state in OVER for unit in parcels):
                head.state = "done"
            if head.state == "spread":
                self._fill(run, head, parcels)
            if head.state == "waiting" and all(run.head(before).state in OVER for before in planned.after):
                self.make_ready(run, head, due)
        if run.state == "running" and all(head.state in OVER for head in run.heads):
            self.end_run(run, "done")

    def end_run(self, run: Run, state: RunState, step: str = "", trouble: Trouble | None = None) -> None:
        if run.state != "running":
            return
        run.state, run.ended, run.told, run.failed_step, run.trouble = state, self.now, False, step, trouble
        self.ended = True
        for unit in run.units.values():
            unit.tell = None

    def take_up(self, run: Run) -> None:
        """An ended run goes on."""
        if run.state == "running":
            return
        run.state, run.failed_step, run.trouble = "running", "", None
        for unit in run.units.values():
            if unit.state == "ready":
                unit.tellings = 0
                self.tell_of(run, unit)
            elif unit.state == "failed":
                self.begin_again(run, unit)

    def reset(self, run: Run, steps: list[PlannedStep]) -> None:
        names = {step.name for step in steps}
        run.units = {key: unit for key, unit in run.units.items() if key.step not in names}
        for name in names:
            key = UnitKey(run=run.new.id, step=name)
            run.units[key] = Unit(key=key)

    def _fill(self, run: Run, head: Unit, parcels: list[Unit]) -> None:
        held = [unit for unit in parcels if unit.state == "held"]
        places = len(held) if head.at_once is None else head.at_once - sum(unit.has_place for unit in parcels)
        for unit in held[: max(0, places)]:
            self.make_ready(run, unit)
