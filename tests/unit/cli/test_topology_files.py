"""A topology is shown, written and read without any broker."""

import errno
import json
import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from goatherd.cli.main import run

APP = r"""
from goatherd import Goatherd

app = Goatherd("herd", broker_url="amqp://localhost/shop")
herding = app.queue("goats", exchange="meadow", ttl=3600)
app.topology.exchange("meadow", "topic")
app.topology.policy("limits", r"^goats\.", {"max-length": 5}, apply_to="queues", priority=3)


@app.task(queue=herding)
async def cross(goat: str) -> None: ...
"""


class Desk:
    """Commands in a folder with an app."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._patch = patch
        self._capture = capture
        (folder / "herd.py").write_text(APP, encoding="utf-8")

    def say(self, command: str, *arguments: str, code: int = 0, typed: str = "") -> str:
        """What `goatherd topology` writes: the errors, if there is one."""
        self._patch.delitem(sys.modules, "herd", raising=False)
        self._patch.setattr(sys, "stdin", StringIO(typed))
        ended = run(["topology", command, "herd:app", *arguments])
        told = self._capture.readouterr()
        assert ended == code, f"exit code {ended}\n{told.out}\n{told.err}"
        return told.err if code == 1 else told.out

    def write(self, name: str, told: object) -> None:
        (self.folder / name).write_text(json.dumps(told), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("GOATHERD_BROKER_URL", raising=False)
    yield Desk(tmp_path, monkeypatch, capsys)
    sys.modules.pop("herd", None)


def test_a_definition_is_shown_as_tables(desk: Desk) -> None:
    told = desk.say("show")
    rows = [line.split() for line in told.splitlines()]
    assert ["meadow", "topic"] in rows
    assert ["goats", "(default)", "x-message-ttl:", "3600000"] in rows
    assert ["meadow", "goats", "goats"] in rows
    assert ["limits", "^goats\\.", "max-length:", "5"] in rows
    assert ["only", "queues"] in rows
    assert ["priority", "3"] in rows
    assert told.splitlines()[-2].endswith("1 policy in the virtual host 'shop'.")
    assert told.splitlines()[-1] == "To compare this with the broker: goatherd topology plan herd:app"


def test_what_is_exported_says_what_the_app_wants(desk: Desk) -> None:
    assert desk.say("show", "--format", "yaml") == desk.say("export")
    assert desk.say("show", "--json") == desk.say("export", "--format", "definitions") == desk.say("export", "--json")
    for exported in (desk.say("export"), desk.say("export", "--json")):
        assert desk.say("diff", "-", typed=exported) == "No difference: standard input says what herd:app wants.\n"
    assert desk.say("export", "--namespace", "farm", "--connection-secret", "key").count("connectionSecret:") > 5
    assert "nowhere/topology.yaml" in desk.say("export", "--output", "nowhere/topology.yaml", code=1)


def test_a_difference_is_told_from_both_sides(desk: Desk) -> None:
    told = json.loads(desk.say("export", "--json"))
    told["queues"] = [each for each in told["queues"] if each["name"] != "goats"] + [
        {"name": "goats", "vhost": "shop", "type": "classic", "arguments": {"x-message-ttl": "3600000"}},
        {"name": "sheep", "vhost": "shop"},
        {"name": "herd.reply.v1.one", "vhost": "shop"},
    ]
    told["policies"] = []
    desk.write("other.json", told)
    found = json.loads(desk.say("diff", "other.json", "--json", code=2))["differences"]
    assert [(each["where"], each["kind"], each["name"]) for each in found] == [
        ("differs", "queue", "goats"),
        ("only in the file", "queue", "sheep"),
        ("only in the app", "policy", "limits"),
    ]
    assert found[0]["details"] == [{"field": "arguments.x-message-ttl", "app": 3600000, "file": "3600000"}]
    table = desk.say("diff", "other.json", code=2)
    assert 'x-message-ttl: 3600000 → "3600000"' in table
    assert "3 differences between herd:app and other.json." in table


def test_a_file_about_other_virtual_hosts_is_refused_unless_one_is_named(desk: Desk) -> None:
    desk.write("other.json", {"vhosts": [{"name": "farm"}], "queues": [{"name": "sheep", "vhost": "farm"}]})
    told = desk.say("import", "other.json", code=1)
    assert "other.json says nothing about the virtual host 'shop'; it is about 'farm'." in told
    assert "--vhost" in told
    imported = desk.say("import", "other.json", "--vhost", "farm")
    assert "name: sheep\n  vhost: shop" in imported


def test_what_cannot_be_read_is_an_error_and_no_traceback(desk: Desk) -> None:
    assert "nothing.yaml cannot be read: No such file or directory." in desk.say("diff", "nothing.yaml", code=1)
    assert "standard input is no JSON that can be read" in desk.say("diff", "-", typed="{", code=1)
    assert "standard input, queues 1" in desk.say("import", "-", typed='{"queues": [{"vhost": "shop"}]}', code=1)


@pytest.mark.parametrize("said", ["", "# nothing yet\n", "{}", "apiVersion: v1\nkind: Secret\n"])
def test_a_file_that_says_nothing_is_taken_for_a_mistake(desk: Desk, said: str) -> None:
    for command in (["import", "-"], ["diff", "-"], ["diff", "-", "--live"]):
        told = desk.say(*command, typed=said, code=1)
        assert "standard input says nothing about a topology. Is it the right file?" in told
    assert ("because a Secret is no part" in told) == ("Secret" in said)


def test_wrong_usage_is_not_taken_for_drift(desk: Desk) -> None:
    assert "No such option '--tabel'" in desk.say("plan", "--tabel", code=1)
    assert "Missing argument 'FILE'" in desk.say("diff", code=1)
    assert "There is no command 'plam'" in desk.say("plam", code=1)


def test_programs_that_make_nothing_want_more(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made, checked = desk.say("export"), desk.say("export", "--declare", "check")
    assert ("herd.hold.v1.100" in made, "herd.hold.v1.100" in checked) == (False, True)
    monkeypatch.setenv("GOATHERD_DECLARE", "check")
    assert desk.say("export") == desk.say("export", "--declare", "never") == checked
    assert desk.say("export", "--declare", "create") == made
    assert desk.say("diff", "-", "--declare", "create", typed=made).startswith("No difference")


class FullDisk(StringIO):
    """What standard output is where it leads to a disk without any room."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", FullDisk())
    assert "Standard output cannot be written: No space left on device." in desk.say("export", code=1)


def test_an_app_without_a_broker_has_no_topology(desk: Desk) -> None:
    (desk.folder / "herd.py").write_text(APP.replace("amqp://localhost/shop", "sqlite:///jobs.db"), encoding="utf-8")
    for command in ("show", "plan", "apply", "export"):
        assert "Only RabbitMQ has a topology" in desk.say(command, code=1)
