"""The broker is compared with the app and mended by commands, and its topology goes from file to file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.servers.addresses import management
from tests.acceptance.topology.herd import Herd

pytestmark = [pytest.mark.servers("rabbitmq"), pytest.mark.xdist_group("topology-cli")]

#: What the app wants, and nobody has made yet.
OWN_EXCHANGES = {"herd.dead.v1", "herd.due.v1", "herd.hold.v1", "herd.work.v1", "meadow", "pit"}


@pytest.fixture
def herd(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Herd]:
    with management().virtual_host() as virtual_host:
        yield Herd(tmp_path, virtual_host, capsys)


def named(differences: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(each["change"], each["name"]) for each in differences}


def test_a_plan_is_read_then_applied_then_empty(herd: Herd) -> None:
    herd.make("exchanges", "meadow", type="topic", durable=True)
    herd.make("queues", "goats", durable=True, arguments={"x-message-ttl": 5_000_000})
    herd.make("queues", "goats.delay", durable=True)
    herd.bind("meadow", "goats", "#")
    herd.send(3)

    plan = herd.topology("plan", code=2).out
    assert plan.splitlines()[0].split() == ["change", "name", "wanted", "→", "found"]
    for line in ("type: direct → topic", "x-message-ttl: 3600000 → 5000000", "x-dead-letter-exchange: pit → nothing"):
        assert line in plan
    assert "TaskIQ makes such a one" in plan
    assert plan.splitlines()[-1] == "To mend them without losing a message: goatherd topology apply herd:app"
    assert max(map(len, herd.topology("plan", code=2, COLUMNS="80").out.splitlines())) <= 80

    assert "Nothing was changed. Without --dry-run: " in herd.topology("apply", "--dry-run", code=2).out
    assert "add --yes" in herd.topology("apply", code=1).err
    assert herd.topology("plan", code=2).out == plan, "nothing was changed"

    applied = herd.topology("apply", "--yes")
    assert applied.out.splitlines()[-1].endswith("The broker is as herd:app wants it.")
    assert "replace queue goats\n" in applied.err
    assert "  move the messages back: 3 messages\n" in applied.err
    assert herd.json("plan")["differences"] == []
    assert herd.waiting("goats") == 3
    assert "Nothing to do" in herd.topology("apply").out
    assert herd.in_a_process("topology", "plan", "herd:app") == 0


def test_what_could_lose_something_is_left_alone_until_it_is_allowed(herd: Herd) -> None:
    assert herd.json("apply", "--yes")["left"] == []
    herd.make("queues", "goats.dead_letter", durable=True)
    herd.publish("goats.dead_letter", 3)
    told = herd.json("apply", "--yes", code=2)
    assert (told["done"], named(told["refused"])) == ([], {("orphan", "goats.dead_letter")})
    [risk] = told["left"][0]["risks"]
    assert risk["loses"] == "messages"
    assert "--allow-loss" in herd.topology("apply", "--yes", code=2).out.splitlines()[-1]
    assert named(herd.json("apply", "--yes", "--allow-loss")["done"]) == {("orphan", "goats.dead_letter")}


def test_only_what_is_named_is_mended(herd: Herd) -> None:
    misspelt = herd.topology("apply", "--only", "meadw", "--yes", code=1).err
    assert "There is no queue, exchange or policy 'meadw', wanted or found. Did you mean 'meadow'?" in misspelt
    told = herd.json("apply", "--only", "meadow", "--only", "limits", "--yes", code=2)
    assert named(told["done"]) >= {("create", "meadow"), ("policy", "limits")}
    assert ("create", "pit") in named(told["left"])


def test_programs_and_prometheus_are_told_of_drift(herd: Herd) -> None:
    told = herd.json("plan", code=2)
    assert (told["drift"], told["vhost"], told["unseen"]) == (True, herd.virtual_host, [])
    created = {each["name"] for each in told["differences"] if (each["change"], each["kind"]) == ("create", "exchange")}
    assert created == OWN_EXCHANGES
    gauge = herd.topology("plan", "--format", "prometheus", code=2).out.splitlines()
    assert f'goatherd_topology_drift{{app="herd",change="create"}} {told["counts"]["create"]}' in gauge
    assert 'goatherd_topology_drift{app="herd",change="replace queue"} 0' in gauge


def test_without_the_management_api_it_is_said_what_was_not_seen(herd: Herd) -> None:
    told = herd.topology("plan", code=2, GOATHERD_MANAGEMENT_URL="http://127.0.0.1:9")
    assert "create exchange   meadow" in told.out
    assert "Not seen, and so not compared:\n  - bindings\n" in told.err
    assert "set GOATHERD_MANAGEMENT_URL if it is elsewhere" in told.err
    refused = management().url.replace("guest:guest", "guest:wrong")
    told = herd.topology("export", "--live", GOATHERD_MANAGEMENT_URL=refused)
    assert "Not seen, and so not written:\n  - bindings\n" in told.err
    assert "  - more than this, because The management API at " in told.err


def test_what_is_applied_for_programs_that_make_nothing_lets_them_start(herd: Herd) -> None:
    herd.topology("apply", "--yes")
    told = herd.run("doctor", "herd:app", code=1, GOATHERD_DECLARE="check").out
    assert "so nothing starts" in told
    assert herd.json("plan")["differences"] == []
    assert herd.json("plan", "--declare", "check", code=2)["counts"]["create"] > 1
    herd.topology("apply", "--declare", "check", "--yes")
    assert herd.json("plan", "--declare", "check")["differences"] == []
    assert herd.json("plan")["differences"] == []
    herd.run("doctor", "herd:app", GOATHERD_DECLARE="check")


def test_the_doctor_tells_of_drift(herd: Herd) -> None:
    found = json.loads(herd.run("doctor", "herd:app", "--json").out)["checks"]
    [check] = [each for each in found if each["name"] == "topology"]
    assert (check["state"], "create exchange herd.dead.v1" in check["found"]) == ("warning", True), "nothing was there"
    assert check["mend"].startswith("The first program that starts makes what is missing.")
    herd.make("queues", "goats.delay", durable=True)
    found = json.loads(herd.run("doctor", "herd:app", "--json").out)["checks"]
    [check] = [each for each in found if each["name"] == "topology"]
    assert (check["state"], check["found"]) == ("warning", "1 difference: orphan queue goats.delay")
    assert check["mend"] == "goatherd topology plan herd:app"
    checked = herd.run("doctor", "herd:app", "--json", code=1, GOATHERD_DECLARE="check")
    [check] = [each for each in json.loads(checked.out)["checks"] if each["name"] == "topology"]
    assert check["state"] == "wrong"
    assert check["found"].endswith("so nothing starts")


def test_a_file_goes_out_and_is_compared_with_app_and_broker(herd: Herd) -> None:
    herd.topology("export", "--output", "topology.yaml")
    assert herd.topology("diff", "topology.yaml").out == "No difference: topology.yaml says what herd:app wants.\n"
    assert herd.json("diff", "topology.yaml", "--live", code=2)["counts"]["create"] > len(OWN_EXCHANGES)
    herd.topology("apply", "--yes")
    assert herd.topology("diff", "topology.yaml", "--live").out.startswith("No drift: ")

    live = herd.topology("export", "--live", "--format", "definitions").out
    assert herd.topology("diff", "-", typed=live).out == "No difference: standard input says what herd:app wants.\n"
    changed = live.replace("3600000", "3600001")
    told = herd.topology("diff", "-", typed=changed, code=2, COLUMNS="80").out
    assert "x-message-ttl: 3600000 → 3600001" in told


def test_a_file_of_others_comes_in_without_what_the_app_says_already(herd: Herd) -> None:
    herd.topology("apply", "--yes")
    herd.make("queues", "audit", durable=True, arguments={"x-queue-type": "quorum"})
    herd.make("queues", "herd.reply.v1.one", durable=True)
    herd.bind("meadow", "audit", "goats")
    definitions = management().ask("GET", "definitions")
    (herd.folder / "definitions.json").write_text(json.dumps(definitions), encoding="utf-8")

    told = herd.topology("import", "definitions.json", "--output", "topology.yaml").err
    assert "definitions.json: users is passed over, because it is no part of a topology." in told
    assert "the queue 'herd.reply.v1.one' comes and goes" in told
    assert "2 things taken from definitions.json." in told
    assert "app.topology.load('topology.yaml')" in told
    assert "is there already" in herd.topology("import", "definitions.json", "--output", "topology.yaml", code=1).err

    # The app that knows them wants what is on the broker.
    with (herd.folder / "herd.py").open("a", encoding="utf-8") as file:
        file.write('\napp.topology.load("topology.yaml")\n')
    assert herd.json("plan")["differences"] == []
    assert herd.json("import", "definitions.json")["known"] > 2

    text = json.dumps(definitions).replace('"x-message-ttl": 3600000', '"x-message-ttl": 5')
    quarrel = herd.topology("import", "-", typed=text, code=1).err
    assert "The queue 'goats' has arguments.x-message-ttl=3600000 in the app and 5 in standard input." in quarrel
