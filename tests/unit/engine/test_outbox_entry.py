"""What is asked of the user's connection, answer by answer."""

from collections.abc import Sequence
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.engine.enqueue import Sender
from goatherd.engine.outbox_entry import OutboxEntry
from goatherd.engine.uniqueness import Uniqueness
from goatherd.engine.user_transaction import explained, through, through_now
from goatherd.errors import DefinitionError, Refused, Unavailable
from goatherd.model.lane import LaneItem
from goatherd.model.outbox import OutboxJob
from goatherd.model.statement import IntoLane, Statement
from goatherd.model.unique import UniqueClaim
from goatherd.ports.clock import SystemClock

app = Goatherd("entry")


@app.task
async def mail(text: str) -> None: ...


@app.task(key="post")
async def comment(post: int, text: str) -> None: ...


class HandStores:
    """In the place of the outbox, of the uniques and of the lanes."""

    def statement(self, jobs: Sequence[OutboxJob]) -> Statement:
        return Statement("put", [job.message.id for job in jobs])

    def take_statement(self, claims: Sequence[UniqueClaim]) -> Statement:
        return Statement("take", [claim.job for claim in claims])

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane:
        return IntoLane(probe=Statement("probe"), enqueue=Statement("enqueue", [item.id for item in items]))


class Connection:
    """Answers each statement as planned."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[tuple[str, Sequence[Any]]] = []
        self._answers = list(answers)

    def execute(self, sql: str, parameters: Sequence[Any]) -> "Connection":
        self.asked.append((sql, parameters))
        return self

    def fetchone(self) -> Any:
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def entry(deadline: float = 1.0) -> OutboxEntry:
    stores: Any = HandStores()
    means: Any = type("Means", (), {"broker": None, "clock": SystemClock(), "telemetry": None, "tracer": None})()

    async def never() -> Any:
        raise AssertionError("no store is opened here")

    return OutboxEntry(
        outbox=stores,
        uniques=stores,
        lanes=stores,
        sender=Sender(means, never),
        uniqueness=Uniqueness("entry", never, SystemClock(), deadline, shared=True),
    )


async def test_one_that_somebody_else_is_sending_is_waited_for() -> None:
    job = mail.options(unique=60).job("a")
    connection = Connection((["pending"], ["other"]), (["pending"], ["other"]), (["ours"], [job.id]), (1,))
    assert await through(connection, entry().put([job])) == [job.id]
    assert [sql for sql, _ in connection.asked] == ["take", "take", "take", "put"]


def test_nobody_waits_for_ever() -> None:
    job = mail.options(unique=60).job("a")
    connection = Connection(*[(["pending"], ["other"])] * 100)
    with pytest.raises(Unavailable, match="Another process"):
        through_now(connection, entry(deadline=-3.9).put([job]))
    assert 1 < len(connection.asked) < 10


def test_what_is_there_already_is_not_written() -> None:
    jobs = [mail.options(unique=60, id="x").job("a"), mail.job("b"), mail.options(id="y").job("c")]
    connection = Connection((["taken", "taken"], ["first", "y"]), (1,))
    assert through_now(connection, entry().put(jobs)) == ["first", jobs[1].id, "y"]
    # The id of the first is not asked for: its job is not made.
    assert connection.asked == [("take", ("x", "y")), ("put", (jobs[1].id,))]


def test_lanes_of_the_same_database_get_theirs_at_once() -> None:
    jobs = [comment.job(7, "a"), mail.job("b")]
    connection = Connection((True,), (["placed"], [0], []), (1,))
    through_now(connection, entry().put(jobs))
    assert connection.asked[1:] == [("enqueue", (jobs[0].id,)), ("put", (jobs[1].id,))]


@pytest.mark.parametrize("probe", [None, (False,)])
def test_other_lanes_get_theirs_through_the_outbox(probe: Any) -> None:
    jobs = [comment.job(7, "a"), mail.job("b")]
    connection = Connection(probe, (2,))
    through_now(connection, entry().put(jobs))
    assert connection.asked[1:] == [("put", (jobs[0].id, jobs[1].id))]


def test_a_lane_that_is_full_refuses() -> None:
    with pytest.raises(Refused, match="as many jobs"):
        through_now(Connection((True,), (["full"], [0], [])), entry().put([comment.job(7, "a")]))


@pytest.mark.parametrize("answer", [None, (0,)])
def test_another_database_is_told(answer: Any) -> None:
    with pytest.raises(DefinitionError, match="another database"):
        through_now(Connection(answer), entry().put([mail.job("a")]))


class FromServer(Exception):
    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.sqlstate = code


class Wrapped(Exception):
    """As libraries do it."""

    def __init__(self, orig: Exception) -> None:
        super().__init__(f"(wrapped) {orig}")
        self.orig = orig


def test_what_the_database_says_is_explained_only_if_it_is_about_us() -> None:
    missing = FromServer("42P01", 'relation "goatherd.outbox" does not exist')
    assert "another database" in str(explained(missing))
    assert "another database" in str(explained(Wrapped(missing)))
    assert "GRANT USAGE ON SCHEMA goatherd" in str(explained(Wrapped(FromServer("42501", "permission denied"))))
    own = FromServer("42P01", 'relation "orders" does not exist')
    clash = FromServer("40001", "could not serialize access")
    assert explained(own) is own
    assert explained(clash) is clash


def test_errors_of_the_users_own_connection_come_as_they_are() -> None:
    clash = FromServer("40001", "could not serialize access")
    with pytest.raises(FromServer):
        through_now(Connection(clash), entry().put([mail.job("a")]))
