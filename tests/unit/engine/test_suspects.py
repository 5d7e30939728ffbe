"""Of all the jobs that ran when a worker died, only the guilty one is given up."""

from hypothesis import given
from hypothesis import strategies as st

from goatherd.engine.suspects import LONGEST_WAIT, Suspects
from goatherd.model.message import DEATHS, Delivery, Message

MOST = 3


def delivery(deaths: int, in_children: int = 0) -> Delivery:
    message = Message(id="j", queue="q", body=b"", headers={DEATHS: in_children} if in_children else {})
    return Delivery(message=message, accepted=0.0, deaths=deaths)


def suspects(*deliveries: Delivery) -> Suspects:
    made = Suspects(MOST)
    for each in deliveries:
        made.add(each)
    return made


def test_suspects_run_one_at_a_time() -> None:
    first, second = delivery(1), delivery(1)
    waiting = suspects(first, second)
    assert waiting.next(0, now=0.0) is first
    assert waiting.next(1, now=0.0) is None
    waiting.ended(first)
    assert waiting.next(0, now=0.0) is second


def test_a_suspect_with_chances_left_runs_beside_others() -> None:
    waiting = suspects(delivery(1))
    assert waiting.next(others_running=5, now=0.0) is not None
    assert not waiting.hold_up_others


def test_a_last_chance_waits_until_it_is_alone_and_nothing_else_starts_meanwhile() -> None:
    last = delivery(2)
    waiting = suspects(last)
    assert waiting.next(others_running=1, now=0.0) is None
    assert waiting.hold_up_others
    assert waiting.next(others_running=0, now=1.0) is last
    assert waiting.hold_up_others
    waiting.ended(last)
    assert not waiting.hold_up_others


def test_a_last_chance_does_not_wait_for_ever() -> None:
    last = delivery(2)
    waiting = suspects(last)
    assert waiting.next(others_running=1, now=100.0) is None
    assert waiting.next(others_running=1, now=100.0 + LONGEST_WAIT - 1) is None
    assert waiting.next(others_running=1, now=100.0 + LONGEST_WAIT) is last


def test_each_last_chance_waits_for_itself() -> None:
    first, second = delivery(2), delivery(2)
    waiting = suspects(first, second)
    waiting.next(1, now=0.0)
    assert waiting.next(1, now=LONGEST_WAIT) is first
    waiting.ended(first)
    assert waiting.next(1, now=LONGEST_WAIT + 1) is None
    assert waiting.next(1, now=2 * LONGEST_WAIT + 1) is second


def test_deaths_of_workers_and_of_child_processes_count_together() -> None:
    waiting = suspects(delivery(1, in_children=1))
    assert waiting.next(others_running=1, now=0.0) is None
    assert waiting.hold_up_others


def test_a_job_beyond_its_last_chance_is_not_held_up_for_it_is_given_up() -> None:
    waiting = suspects(delivery(3))
    assert waiting.next(others_running=9, now=0.0) is not None
    assert not waiting.hold_up_others


def test_those_that_have_not_started_can_be_handed_back() -> None:
    first, second = delivery(1), delivery(2)
    waiting = suspects(first, second)
    waiting.next(0, now=0.0)
    assert waiting.take_all() == [second]
    assert waiting.waiting == 0


def test_the_end_of_another_job_changes_nothing() -> None:
    first = delivery(1)
    waiting = suspects(first, delivery(1))
    waiting.next(0, now=0.0)
    waiting.ended(delivery(1))
    assert waiting.next(0, now=0.0) is None


class Workshop:
    """A worker that dies with all that it runs whenever a guilty job acts, and begins again with what is left."""

    def __init__(self, jobs: int, concurrency: int) -> None:
        self.concurrency = concurrency
        self.deaths = dict.fromkeys(range(jobs), 0)
        self.given_up: set[int] = set()
        self.begin()

    def begin(self) -> None:
        self.suspects = Suspects(MOST)
        self.backlog: list[Delivery] = []
        self.running: dict[int, Delivery] = {}
        self.given_up |= {job for job, deaths in self.deaths.items() if deaths >= MOST}
        for job in sorted(set(self.deaths) - self.given_up):
            taken = named(job, self.deaths[job])
            if self.deaths[job]:
                self.suspects.add(taken)
            else:
                self.backlog.append(taken)
        self.fill()

    def fill(self) -> None:
        """As the worker does it."""
        while len(self.running) < self.concurrency:
            taken = self.suspects.next(len(self.running), now=0.0)
            if taken is None and (self.suspects.hold_up_others or not self.backlog):
                return
            taken = taken or self.backlog.pop(0)
            self.running[int(taken.message.id)] = taken

    def kill(self) -> None:
        for job in self.running:
            self.deaths[job] += 1
        self.begin()

    def finish(self, job: int) -> None:
        self.suspects.ended(self.running.pop(job))
        del self.deaths[job]
        self.fill()


@given(jobs=st.integers(1, 8), concurrency=st.integers(1, 5), data=st.data())
def test_whatever_happens_only_guilty_jobs_are_given_up_and_all_others_end(
    jobs: int, concurrency: int, data: st.DataObject
) -> None:
    guilty = data.draw(st.sets(st.integers(0, jobs - 1), max_size=3))
    workshop = Workshop(jobs, concurrency)
    while workshop.running:
        job = data.draw(st.sampled_from(sorted(workshop.running)))
        if job in guilty:
            workshop.kill()
        else:
            workshop.finish(job)
    assert workshop.given_up == set(workshop.deaths) == guilty


def named(job: int, deaths: int) -> Delivery:
    return Delivery(message=Message(id=str(job), queue="q", body=b""), accepted=0.0, deaths=deaths)


@given(st.lists(st.integers(1, 4), max_size=8), st.integers(0, 3))
def test_every_suspect_starts_at_last_however_busy_the_worker_is(deaths: list[int], others: int) -> None:
    waiting = suspects(*map(delivery, deaths))
    started, now = 0, 0.0
    while waiting.waiting:
        taken = waiting.next(others, now)
        if taken is not None:
            started += 1
            waiting.ended(taken)
        now += LONGEST_WAIT
        assert now < 100 * LONGEST_WAIT
    assert started == len(deaths)
