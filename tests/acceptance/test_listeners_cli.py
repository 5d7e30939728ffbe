"""Listeners come and go with a table, are seen, and are started anew; the command line as operators have it."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from tests.acceptance.cli.stage import PATIENCE, Stage

TARGET = "arcade_hall:app"


def hall(stage: Stage, *machines: int) -> None:
    shutil.copy(Path(__file__).with_name("arcade_hall.py"), stage.folder)
    (stage.folder / "machines").write_text("\n".join(map(str, machines)), encoding="utf-8")


def listeners(stage: Stage, *arguments: str) -> dict[str, dict[str, Any]]:
    return {row["queue"]: row for row in stage.json("listeners", "list", TARGET, *arguments)}


def noted(stage: Stage) -> dict[str, str]:
    """What workers have put on record, without the cost of a command."""
    database = apsw.Connection(str(stage.folder / ".goatherd" / "arcade_hall.db"))
    try:
        return dict(database.execute("SELECT queue, condition FROM listener").fetchall())
    except apsw.SQLError:
        return {}  # the tables are not made yet
    finally:
        database.close()


def until(look: Callable[[], Any]) -> Any:
    """What is seen at last."""
    deadline = time.monotonic() + PATIENCE
    while not (seen := look()):
        assert time.monotonic() < deadline, "it was not seen in time"
        time.sleep(0.05)
    return seen


def test_listeners_come_and_go_with_the_table(stage: Stage) -> None:
    hall(stage, 1, 2)
    told = stage.run("listeners", "list", TARGET)
    assert "No worker listens now" in told.stdout + told.stderr
    worker = stage.start("worker", TARGET, "--tell-jobs")
    worker.hear(r"Taking jobs from machine-start-\{\}, \{\}")
    until(lambda: set(noted(stage)) == {"machine-start-1", "machine-start-2", "prize-gold"})
    answer = stage.run("send", TARGET, "start_machine", "machine=2", "player=Ada", "--call").stdout
    assert answer == '"Ada plays on 2"\n'
    # Nobody listens to it yet, and the job waits.
    job = stage.json("send", TARGET, "start_machine", "machine=7", "player=Bob")
    assert job["queue"] == "machine-start-7"
    hall(stage, 2, 7)
    worker.hear(rf"start_machine\[{job['id']}\] done")
    until(lambda: noted(stage).get("machine-start-7") == "running" and "machine-start-1" not in noted(stage))
    found = listeners(stage, "--pattern", "machine-start-{}")
    assert {row["condition"] for row in found.values()} == {"running"}
    assert listeners(stage, "--unhealthy") == {}
    table = stage.run("listeners", "list", TARGET).stdout
    assert "machine-start-7" in table
    assert "3 listeners." in table


def test_one_that_cannot_be_started_is_seen_and_started_anew(stage: Stage) -> None:
    hall(stage, 1, 2)
    stage.json("send", TARGET, "start_machine", "machine=2", "player=Bob")
    file = stage.folder / ".goatherd" / "arcade_hall.db"
    database = apsw.Connection(str(file))
    database.execute("UPDATE queue SET max_length = 9 WHERE name = 'machine-start-2'")
    worker = stage.start("worker", TARGET, "--tell-jobs")
    worker.hear("Listener machine-start-2 cannot be started and is tried again: .*max_length")
    until(lambda: noted(stage).get("machine-start-2") in ("down", "quarantined"))
    [ailing] = listeners(stage, "--unhealthy").values()
    assert (ailing["queue"], ailing["healthy"]) == ("machine-start-2", False)
    assert "max_length" in ailing["why"]
    assert "goatherd listeners restart" in stage.run("listeners", "list", TARGET).stdout
    database.execute("UPDATE queue SET max_length = NULL WHERE name = 'machine-start-2'")
    database.close()
    assert "1 worker will" in stage.run("listeners", "restart", TARGET, "machine-start-2").stdout
    # It comes back in any case; with the next change the worker hears of the wish, too.
    hall(stage, 1, 2, 3)
    worker.hear("Recovered listener: machine-start-2")
    worker.hear(r"start_machine\[.*\] done")
    until(lambda: set(noted(stage).values()) == {"running"})
    assert "No worker that lives" in stage.run("listeners", "restart", TARGET, "machine-start-9", code=1).stderr


def test_a_dead_letter_goes_back_to_its_own_queue(stage: Stage) -> None:
    hall(stage, 1, 2)
    (stage.folder / "broken").touch()
    worker = stage.start("worker", TARGET, "--tell-jobs")
    stage.run("send", TARGET, "start_machine", "machine=2", "player=Bob")
    worker.hear("is a dead letter")
    [letter] = stage.json("dead", "list", TARGET, "--each")
    assert (letter["queue"], letter["message"]) == ("machine-start-2", "machine 2 is broken")
    (stage.folder / "broken").unlink()
    wrong = stage.run("dead", "replay", TARGET, letter["id"], "--yes", "--arguments", '{"player": 5}', code=2)
    assert "player" in wrong.stderr
    stage.run("dead", "replay", TARGET, letter["id"], "--yes", "--arguments", '{"player": "Eve"}')
    worker.hear(r"start_machine\[.*\] done")
