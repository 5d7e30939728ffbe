"""What one client has seen of a job, and everything that is wrong with it. A pure function of the frames it got."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tests.faults.live.script import Garbled, Mark, Script, mark_of_stage

Kind: TypeAlias = Literal["wrong", "lost", "repeated", "reordered", "hung"]


@dataclass(frozen=True)
class Frame:
    """One event as it came; without an id it is no event of the job."""

    id: str
    event: str
    data: dict[str, Any]  # JSON, whatever it says


@dataclass(frozen=True)
class Fault:
    """Something a client must never see."""

    kind: Kind
    what: str


NOTHING = Mark(0, 0)


@dataclass
class View:
    """The page that a client shows, and a checker that looks at it all the time."""

    script: Script
    text: str = ""
    #: The last thing of the job that was seen.
    last: Mark = NOTHING
    #: The id to come back with, and the number of the last event.
    id: str = ""
    seq: int = 0
    #: The number of the last token, for those who come back with that.
    token_seq: int = 0
    done: bool = False
    faults: list[Fault] = field(default_factory=list)
    #: Whether all events were asked for, from the first on.
    from_the_start: bool = False
    #: Whether a new generation may begin now.
    may_begin: bool = False
    #: Whether stages may be missing because only the text was asked for.
    text_only: bool = False
    #: How far each generation came that was seen to its end without a jump.
    tails: dict[int, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    #: The last things that came, for whoever looks for a reason.
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=6))
    _jumped: bool = False
    #: Whether a part of a snapshot has come, of which only the last part has an id.
    _in_group: bool = False
    _stage: Mark = NOTHING
    _skipped: set[Mark] = field(default_factory=set)
    _told: set[tuple[str, int, float]] = field(default_factory=set)

    def take(self, frame: Frame) -> None:
        """One more frame."""
        self.recent.append(f"{frame.event} {frame.id}".strip())
        self.counts[frame.event if mark_of_stage(frame.event) is None else "stage"] += 1
        if self.done:
            self._fault("reordered", f"{frame.event} after the end")
        self._check_id(frame)
        match frame.event:
            case "token":
                self.token_seq = frame.data["seq"]
                self._take_text(frame.data["content"])
            case "token_recovery":
                self.token_seq = frame.data["last_seq"]
                self._take_snapshot(frame.data["accumulated"])
            case "queued" | "started" | "retrying":
                self._take_turn(frame)
            case "done":
                self._take_end(frame.data)
            case "keepalive" | "reconnect":
                pass
            case "error":
                self._fault("wrong", f"an error: {frame.data}")
            case _:
                self._take_stage(frame)

    def come_back(self, *, text_only: bool = False) -> None:
        """A new connection begins, with the id of the last event, or with the number of the last token."""
        self.recent.append("(came back)")
        self.text_only |= text_only
        self._stage = NOTHING

    def reload(self) -> "View":
        """The page is loaded anew and knows nothing; what is wrong is not forgotten."""
        return View(self.script, faults=self.faults, counts=self.counts, recent=self.recent, _jumped=True)

    def _check_id(self, frame: Frame) -> None:
        if not frame.id:
            self._in_group |= frame.event not in ("keepalive", "reconnect")
            return
        epoch, _, number = frame.id.rpartition("-")
        before, seq = self.id.rpartition("-")[0], int(number)
        # How things stand may be told where one is: that says nothing new, and nothing twice.
        if epoch == before and seq <= self.seq - (frame.event == "token_recovery" or self.text_only):
            self._fault("repeated", f"{frame.event} {frame.id} after {self.id}")
        elif seq > self.seq + 1 and self._must_follow(frame):
            self._fault("lost", f"what is between {self.id} and {frame.id}, a {frame.event}")
        self.id, self.seq, self._in_group = frame.id, seq, False

    def _must_follow(self, frame: Frame) -> bool:
        """Whether nothing may be between it and the last one: only tokens are put together, and snapshots jump."""
        told_apart = frame.event not in ("token", "token_recovery") and not self._in_group
        return told_apart and not self.text_only and (bool(self.id) or self.from_the_start)

    def _take_text(self, content: str) -> None:
        self.text += content
        for mark in self._marks(content):
            self._step(mark)

    def _take_stage(self, frame: Frame) -> None:
        mark = mark_of_stage(frame.event)
        if mark is None:
            self._fault("wrong", f"an event that nobody made: {frame}")
        elif not frame.id or (self.text_only and mark <= self.last):
            # How things stand, in a snapshot or beside the text.
            self._stage = mark
        elif frame.data["progress"] != self.script.percent(mark):
            self._fault("wrong", f"{frame} has not the progress that was written")
        else:
            self._step(mark)

    def _take_turn(self, frame: Frame) -> None:
        if not frame.id:
            return
        told = (frame.event, frame.data["attempt"], frame.data["ts"])
        if told in self._told:
            self._fault("repeated", f"{frame.event} of attempt {frame.data['attempt']}")
        self._told.add(told)
        if frame.event == "started":
            if not self._jumped and self.last.generation:
                self.tails[self.last.generation] = self.last.number
            self.may_begin, self._jumped = True, False
            self.text = ""

    def _take_snapshot(self, text: str) -> None:
        self.text = text
        marks = self._marks(text)
        seen = max([self._stage, *marks[-1:]])
        if not marks and seen == NOTHING:
            # An attempt that has said nothing yet, or a job without one.
            self.may_begin, self._jumped = True, True
            return
        if self.script.text(seen.generation, seen.number) != text:
            self._fault("wrong", f"a snapshot at {seen} whose text is not that of its generation")
        if seen < self.last:
            if not self._is_as_far(seen):
                self._fault("repeated", f"a snapshot at {seen} after {self.last}")
            seen = self.last
        # A newer attempt may have begun, of which the text and the stage tell nothing yet.
        self.last, self._jumped, self.may_begin = seen, True, True

    def _is_as_far(self, seen: Mark) -> bool:
        """Whether a snapshot is at the last thing seen, but cannot tell it: a job that waits has no stage."""
        between = range(seen.number + 1, self.last.number + 1)
        return seen.generation == self.last.generation and all(map(self.script.is_stage, between))

    def _take_end(self, data: dict[str, Any]) -> None:
        script, generation = self.script, self.last.generation
        self.done = True
        if data["result"] != script.result(generation) and not self._ends_unseen(data):
            self._fault("wrong", f"the result {data['result']!r} after {self.last}")
        elif self.text != script.text(generation):
            self._fault("lost" if self.last.number < script.length else "wrong", f"the text at the end, at {self.last}")
        elif not self._all_seen():
            self._fault("lost", f"the end came after {self.last}, and {script.length} things were said")

    def _ends_unseen(self, data: dict[str, Any]) -> bool:
        """A script of stages alone leaves nothing to see for one who came at the end."""
        return not self.text and not self.last.generation and self.script.stage_every == 1

    def _all_seen(self) -> bool:
        missing = range(self.last.number + 1, self.script.length + 1)
        return not missing or ((self._jumped or self.text_only) and all(map(self.script.is_stage, missing)))

    def _step(self, mark: Mark) -> None:
        """Something was said: it must be the next thing."""
        last = self.last
        if mark in self._skipped:
            self._skipped.discard(mark)
            self._fault("reordered", f"{mark} after {last}")
            return
        if mark <= last:
            self._fault("repeated", f"{mark} after {last}")
            return
        expected = Mark(last.generation, last.number + 1)
        if mark.generation != last.generation:
            if not self.may_begin:
                self._fault("wrong", f"{mark} after {last}, and no attempt had begun")
            expected = Mark(mark.generation, 1)
        missing = {Mark(mark.generation, number) for number in range(expected.number, mark.number)}
        if missing and not (self.text_only and all(self.script.is_stage(one.number) for one in missing)):
            self._skipped |= missing
            self._fault("lost", f"{', '.join(map(str, sorted(missing)))} before {mark}")
        self.last, self.may_begin = mark, False

    def _marks(self, text: str) -> list[Mark]:
        try:
            return self.script.marks(text)
        except Garbled as error:
            self._fault("wrong", str(error))
            return []

    def _fault(self, kind: Kind, what: str) -> None:
        self.faults.append(Fault(kind, f"job {self.script.job}: {what}; last came {', '.join(self.recent)}"))
