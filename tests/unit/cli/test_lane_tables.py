import time
from io import StringIO
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from rich.console import Console

from goatherd import Goatherd
from goatherd.cli import lane_tables
from goatherd.cli.dead_returned import MOST_NAMED, replayed_told
from goatherd.cli.lane_tables import job_table, lane_table
from goatherd.desk.lane_looks import LaneLook, job_facts, names_of, read_lane
from goatherd.engine.lane_returns import Returned
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneJob, LaneState, packed
from goatherd.model.message import FAILURES, LANE, Message

NOW = time.time()


def state(key: str = "comments/post_id=7", **properties: Any) -> LaneState:
    told = {"condition": "ready", "length": 3, "queue": "comments", "head": "j1", "since": NOW - 90, **properties}
    return LaneState(key=key, **told)


def job(seq: int = 1, **arguments: Any) -> LaneJob:
    body = msgspec.json.encode({"task_id": f"job-{seq}", "step": "comment", "payload": arguments})
    headers: dict[str, str | int] = {LANE: "comments/post_id=7", FAILURES: 2}
    message = Message(id=f"job-{seq}", queue="comments", body=body, headers=headers)
    return LaneJob(seq=seq, id=f"j{seq}", queue="comments", content=packed(message), accepted=time.time() - 3700)


def written(table: Any) -> str:
    console = Console(width=200, file=StringIO())
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]  # it is the one that we gave


@pytest.fixture(autouse=True)
def _time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_tables, "time", SimpleNamespace(time=lambda: NOW))


@pytest.fixture
def app() -> Goatherd:
    return Goatherd("forum")


def test_a_job_is_told_without_its_secrets(app: Goatherd) -> None:
    facts = job_facts(app, job(post_id=7, password="hush"))
    assert (facts.job_id, facts.task, facts.failures) == ("job-1", "comment", 2)
    assert facts.arguments == {"post_id": 7, "password": "***"}
    assert facts.named == "comment job-1"


def test_a_job_that_cannot_be_read_is_told_as_far_as_it_goes(app: Goatherd) -> None:
    facts = job_facts(app, LaneJob(seq=1, id="j1", queue="comments", content=b"\xc1", accepted=NOW))
    assert (facts.job_id, facts.task, facts.arguments) == ("j1", None, None)
    assert "cannot be read" in written(job_table([facts]))


def test_lanes_that_look_alike_are_shown_in_full() -> None:
    lanes = [state("comments/post_id=7"), state("likes/post_id=7"), state("posts=7")]
    assert list(names_of(lanes).values()) == ["comments/post_id=7", "likes/post_id=7", "posts=7"]
    assert list(names_of(lanes[1:]).values()) == ["post_id=7", "posts=7"]


def test_a_line_says_who_has_a_lane_or_why_it_is_held(app: Goatherd) -> None:
    why = Burial(reason="failed", error_type="LookupError", message="no\npost", attempts=1, failed_at=NOW)
    head = job_facts(app, job(post_id=7))
    held = LaneLook(state=state(condition="held", burial=why), head=head, job=None)
    running = LaneLook(
        state=state("likes/post_id=8", condition="running", worker="host:1", until=NOW + 25), head=None, job=None
    )
    lines = [line.split() for line in written(lane_table([held, running])).splitlines()]
    assert lines[2] == ["post_id=7", "held", "3", "1m30s", "-", "comment", "job-1", "LookupError:", "no", "post"]
    assert lines[3][:5] == ["post_id=8", "running", "3", "1m30s", "in"]
    assert lines[3][6:] == ["?", "-", "host:1"]


def test_jobs_are_listed_in_their_order(app: Goatherd) -> None:
    table = written(job_table([job_facts(app, job(number, text=f"t{number}")) for number in (1, 2)]))
    rows = [line.split() for line in table.splitlines()[2:]]
    assert rows[0] == ["1", "job-1", "comment", "1h01m", "ago", '{"text":"t1"}']
    assert rows[1][:2] == ["2", "job-2"]


def test_what_others_wrote_does_not_command_the_terminal(app: Goatherd) -> None:
    lane = LaneLook(state=state("comments/post_id=\x1b[31m"), head=None, job=None)
    assert "\\x1b[31m" in written(lane_table([lane]))


class Moving:
    """A lane that has moved on between two looks, so often."""

    def __init__(self, times: int) -> None:
        self.head = 1
        self._times = times

    async def jobs(self, key: str, limit: int) -> list[LaneJob]:
        if self._times:
            self._times -= 1
            self.head += 1
        return [job(self.head)]

    async def get(self, key: str) -> LaneState:
        return state(head=f"j{self.head}", condition="held")


async def test_a_lane_and_its_head_belong_together(app: Goatherd) -> None:
    once: Any = Moving(1)
    lane = await read_lane(app, once, state())
    assert lane.job is not None
    assert (lane.state.head, lane.job.id, lane.state.condition) == ("j2", "j2", "held")
    always: Any = Moving(100)
    assert (await read_lane(app, always, state())).head is None


@pytest.mark.parametrize(
    ("count", "returned", "told"),
    [
        (2, [], "Put 2 dead letters back to work."),
        (1, [("a/p=7", 12)], "Put 1 dead letter back to work: at the end of lane p=7, behind 12 others."),
        (1, [("a/p=7", 1)], "Put 1 dead letter back to work: at the end of lane p=7, behind 1 other."),
        (1, [("a/p=7", 0)], "Put 1 dead letter back to work: at the end of lane p=7, with none before it."),
        (1, [("a/p=7", None)], "Put 1 dead letter back to work: in lane p=7 since an earlier try."),
        (
            2,
            [("a/p=7", 0), ("a/p=7", 1)],
            "Put 2 dead letters back to work: 2 at the end of lane p=7, with none before them.",
        ),
        (2, [("a/p=7", 3)], "Put 2 dead letters back to work:\n  at the end of lane p=7, behind 3 others"),
    ],
)
def test_where_replayed_letters_went(count: int, returned: list[tuple[str, int | None]], told: str) -> None:
    places = [Returned(job_id="j", lane=lane, ahead=ahead) for lane, ahead in returned]
    assert replayed_told(count, places) == told


def test_only_some_lanes_are_named() -> None:
    many = [Returned(job_id="j", lane=f"a/p={number}", ahead=0) for number in range(MOST_NAMED + 5)]
    assert replayed_told(15, many).splitlines()[-1] == "  and 5 more lanes"
