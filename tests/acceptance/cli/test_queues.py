"""Queues are seen, paused, resumed and purged."""

import json
import signal

from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.gate import Gate
from tests.acceptance.cli.stage import Stage


def test_a_paused_queue_keeps_its_jobs_until_it_is_resumed(stage: Stage, gate: Gate) -> None:
    stage.run("queues", "pause", "shop:app", "gate")
    worker = stage.worker("--tell-jobs")
    stage.send("visit", f"port={gate.port}", "name=Ada")
    stage.send("greet", "name=Bob")
    worker.hear(r"greet\[.*\] done")
    held = stage.queue("gate")
    assert (held["ready"], held["paused"]) == (1, True)
    assert held["running"] in (0, None), "None where the broker does not tell"
    stage.run("queues", "resume", "shop:app", "gate")
    visitor = gate.next()
    visitor.let_go()
    assert visitor.last_words() == "done"


def test_the_table_says_what_waits_and_who_takes(stage: Stage) -> None:
    stage.send("greet", "name=Ada")
    table = stage.run("queues", "list", "shop:app").stdout.splitlines()
    assert table[0].split() == ["queue", "ready", "delayed", "running", "consumers", "oldest", "dead", "state"]
    [shop] = [line for line in table if line.startswith("shop")]
    assert shop.endswith("no worker")
    assert "paused" in stage.run("queues", "pause", "shop:app", "shop").stdout
    assert "paused" in stage.run("queues", "list", "shop:app", "shop").stdout


def test_a_watcher_sees_every_change_until_ctrl_c(stage: Stage) -> None:
    watching = stage.start("queues", "list", "shop:app", "shop", "--watch", "--json")
    assert json.loads(watching.hear("ready").string)[0]["ready"] == 0
    stage.send("greet", "name=Ada")
    watching.hear('"ready":1')
    watching.tell(signal.SIGINT)
    assert watching.end() == 0
    assert "Traceback" not in watching.heard


def test_purging_asks_unless_told_not_to(stage: Stage) -> None:
    stage.send("greet", "name=Ada")
    stage.send("greet", "name=Bob")
    refused = stage.run("queues", "purge", "shop:app", "shop", code=2).stderr
    assert "Delete 2 waiting jobs of queue 'shop' for good?" in refused
    assert stage.queue("shop")["ready"] == 2
    assert stage.json("queues", "purge", "shop:app", "shop", "--yes") == {"queue": "shop", "deleted": 2}
    assert stage.queue("shop")["ready"] == 0


@embedded
def test_purging_takes_what_is_delayed_too(stage: Stage) -> None:
    stage.send("greet", "name=Ada")
    stage.send("greet", "name=Bob", "--delay", "1h")
    assert stage.json("queues", "purge", "shop:app", "shop", "--yes") == {"queue": "shop", "deleted": 2}
    assert (stage.queue("shop")["ready"], stage.queue("shop")["delayed"]) == (0, 0)


def test_an_unknown_queue_is_told_with_those_that_are_there(stage: Stage) -> None:
    for command in ("list", "pause", "resume", "purge"):
        error = stage.run("queues", command, "shop:app", "nowhere", code=1).stderr
        assert "There is no queue 'nowhere'. There are gate, mail, shop." in error
