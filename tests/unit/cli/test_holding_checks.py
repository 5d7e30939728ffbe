"""What the doctor says about how long a broker lets workers hold a job, of one queue and by policy.

The oldest broker that is tested with knows neither, so it cannot be asked.
"""

from collections.abc import Sequence

from goatherd import Goatherd
from goatherd.cli.check import Check
from goatherd.cli.holding_checks import holding_checks, seen_limits
from goatherd.model.blueprint import Blueprint, PolicySpec, QueueSpec
from goatherd.model.survey import Survey
from goatherd.model.topology import HoldLimit


class Operations:
    """Of a broker on which one queue has a limit of its own."""

    def __init__(self, own: HoldLimit | None = None, told: float | None = None) -> None:
        self._own = own
        self._told = told

    def hold_limit(self, queue: str) -> HoldLimit:
        if queue == "notes" and self._own is not None:
            return self._own
        return HoldLimit(seconds=self._told or 1800, known=self._told is not None)


def studio(timeout: float, queue: str = "films") -> Goatherd:
    app = Goatherd("studio")

    @app.task(queue=queue, timeout=timeout)
    async def film() -> None: ...

    return app


def surveyed(milliseconds: int) -> Survey:
    policy = PolicySpec(name="short", pattern="^(films|notes)$", definition={"consumer-timeout": milliseconds})
    queues = (QueueSpec(name="films"), QueueSpec(name="notes"))
    return Survey(blueprint=Blueprint(queues=queues, policies=(policy,)))


def told(app: Goatherd, operations: Operations, survey: Survey | None = None) -> Sequence[Check]:
    limits = seen_limits(operations, survey)  # type: ignore[arg-type]  # no more of it is asked
    return list(holding_checks(app.settings, app.definitions(), app.contracts(), limits))


def test_a_policy_that_waits_less_than_a_task_may_run() -> None:
    [check] = told(studio(600), Operations(), surveyed(300_000))
    assert check.state == "wrong"
    assert check.found.startswith("task film may run 10m00s (timeout), but the broker takes a job back after 5m00s")
    assert check.mend == "Give it a timeout below 4m00s, or raise consumer-timeout in the policy short."


def test_a_policy_that_waits_longer_than_brokers_do() -> None:
    assert told(studio(3600), Operations(), surveyed(14_400_000)) == []
    [check] = told(studio(3600), Operations())
    assert (check.state, "consumer_timeout in rabbitmq.conf" in check.mend) == ("warning", True)


def test_of_a_queue_and_a_policy_the_shorter_counts() -> None:
    own = HoldLimit(seconds=120, known=True, set_by="x-consumer-timeout of the queue notes")
    [check] = told(studio(100, "notes"), Operations(own), surveyed(300_000))
    assert check.mend == "Give it a timeout below 1m00s, or raise x-consumer-timeout of the queue notes."
    [check] = told(studio(250, "notes"), Operations(own), surveyed(60_000))
    assert check.mend == "Raise consumer-timeout in the policy short.", "no timeout is short enough"


def test_jobs_that_wait_in_a_worker_by_what_they_can_be_helped() -> None:
    [check] = told(studio(200), Operations(), surveyed(300_000))
    assert (check.name, check.state) == ("prefetch", "warning")
    assert check.mend.endswith("or the timeout, or raise consumer-timeout in the policy short.")
