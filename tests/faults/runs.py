"""Every run of every job, and why a job ran more than once. A pure function of what was written down."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

#: Seconds before a loss in which an ack may not have reached the broker's disk yet.
ACK_ON_ITS_WAY = 5.0
#: Seconds that a worker may take to write down what it did before it writes down what happened to it.
BLUR = 0.02
#: Seconds by which the broker may know of a loss, and have given a job to another, before the worker notices.
NOTICED_LATE = 2.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a job's code in one process; `end` is None if it never came to its end."""

    pid: int
    start: float
    end: float | None = None


@dataclass(frozen=True, kw_only=True)
class Faults:
    """What was done to processes: the times at which each was killed, or lost what it consumed from."""

    kills: Mapping[int, float]
    losses: Mapping[int, Sequence[float]]

    def of(self, pid: int) -> Iterator[tuple[str, float]]:
        """Each with what it was."""
        if pid in self.kills:
            yield "kill", self.kills[pid]
        for moment in self.losses.get(pid, ()):
            yield "loss", moment


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Runs beyond the first, by what explains them."""

    killed: int
    lost: int
    #: Jobs with runs that nothing which happened to a worker explains, and how many; only a second publish can.
    unexplained: Counter[str]


def read_runs(folder: Path) -> dict[str, list[Run]]:
    """The runs of each job by time, from the journals of all processes."""
    runs: dict[str, list[Run]] = defaultdict(list)
    for journal in folder.glob("*.log"):
        pid = int(journal.stem)
        for line in journal.read_text().splitlines():
            what, job, moment = line.split()
            if what == "start":
                runs[job].append(Run(pid=pid, start=float(moment)))
            else:
                _note_end(runs[job], pid, float(moment))
    return {job: sorted(each, key=lambda run: run.start) for job, each in runs.items()}


def explain(runs: Mapping[str, Sequence[Run]], faults: Faults) -> Repeats:
    """Why jobs ran again: an earlier run was not acked for certain when its worker was killed or lost the broker."""
    counts = {"kill": 0, "loss": 0}
    unexplained: Counter[str] = Counter()
    for job, each in runs.items():
        for number, again in enumerate(each[1:], 1):
            why = next(_reasons(each[:number], again, faults), None)
            if why is None:
                unexplained[job] += 1
            else:
                counts[why] += 1
    return Repeats(killed=counts["kill"], lost=counts["loss"], unexplained=unexplained)


def _reasons(earlier: Sequence[Run], again: Run, faults: Faults) -> Iterator[str]:
    for run in earlier:
        for why, moment in faults.of(run.pid):
            unacked = run.end is None or run.end > moment - ACK_ON_ITS_WAY
            if run.start - BLUR < moment < again.start + NOTICED_LATE and unacked:
                yield why


def _note_end(runs: list[Run], pid: int, moment: float) -> None:
    for place, run in enumerate(runs):
        if run.pid == pid and run.end is None:
            runs[place] = replace(run, end=moment)
            return
