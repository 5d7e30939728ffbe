"""What the doctor says about how long a policy of the broker lets workers hold a job."""

from goatherd import Goatherd
from goatherd.cli.holding_checks import policy_checks
from goatherd.model.blueprint import Blueprint, PolicySpec, QueueSpec
from goatherd.model.survey import Survey


def test_a_policy_that_waits_less_than_a_task_may_run() -> None:
    app = Goatherd("studio")

    @app.task(queue="films", timeout=600)
    async def film() -> None: ...

    @app.task(queue="clips", timeout=60)
    async def clip() -> None: ...

    @app.task(queue="notes", timeout=600)
    async def note() -> None: ...

    waits = PolicySpec(name="short", pattern="^(films|clips|notes)$", definition={"consumer-timeout": 300_000})
    notes = QueueSpec(name="notes", arguments={"x-consumer-timeout": 3_600_000})
    queues = (QueueSpec(name="films"), QueueSpec(name="clips"), notes)
    survey = Survey(blueprint=Blueprint(queues=queues, policies=(waits,)))
    [check] = policy_checks(survey, app.definitions())
    assert check.state == "wrong"
    assert check.found.startswith("task film may run 10m00s (timeout), but the broker takes a job back after 5m00s")
