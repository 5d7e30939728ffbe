"""The broker of an app is measured, and nothing is left behind."""

import signal

from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage


def test_bench_measures_the_broker_and_touches_no_job_of_the_app(stage: Stage, broker: str) -> None:
    stage.send("greet", "name=Ada")
    told = stage.json("bench", "shop:app", "--jobs", "100")
    assert told["broker"].startswith({"sqlite": "sqlite:///.goatherd/shop.db", "rabbitmq": "amqp://"}[broker])
    assert all(told[name] > 0 for name in told if name.endswith(("second", "job", "milliseconds")))
    assert stage.queue("shop")["ready"] == 1


@embedded
def test_bench_leaves_its_scratch_queue_empty(stage: Stage) -> None:
    stage.run("bench", "shop:app", "--jobs", "100")
    scratch = stage.queue("shop.bench")
    assert (scratch["ready"], scratch["running"], scratch["consumers"], scratch["dead"]) == (0, 0, 0, 0)


def test_bench_that_is_stopped_leaves_no_job_behind(stage: Stage) -> None:
    running = stage.start("bench", "shop:app", "--jobs", "100000")
    running.hear("Measuring")
    running.tell(signal.SIGINT)
    assert running.end() == 1
    assert [queue for queue in stage.json("queues", "list", "shop:app") if queue["ready"]] == []
