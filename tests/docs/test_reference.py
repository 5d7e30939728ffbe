"""Whatever a user can name stands in the reference, and the reference names nothing else."""

import re
from pathlib import Path
from typing import get_args

import click
import msgspec
import pytest

from goatherd import (
    errors,
)
from goatherd.adapters.prometheus import render
from goatherd.config import NAMES, PREFIX, RetryTable
from goatherd.engine.intake import STEPS
from goatherd.engine.meter import Meter
from goatherd.engine.tick_counts import TickOutcome
from goatherd.model import message, step_wire, tally
from goatherd.model.dead_letter import Reason
from goatherd.model.envelope import Envelope
from goatherd.model.families import LINK_STATES
from goatherd.model.reply import Reply
from goatherd.model.routing import RouterReadings
from goatherd.model.run_record import Trouble, Turn, UnitKey
from goatherd.model.settings import Settings
from goatherd.ports.telemetry import AnswerOutcome, CallOutcome, Outcome, Stray
from goatherd.web.metrics import GatewayMetrics
from scripts import cli_reference
from tests.docs.markdown import DOCS, ROOT, name_of, pages, section
from tests.docs.story import play
from tests.docs.tables import REFERENCE, read, rows

#: Packages whose own errors become answers to browsers and commands, and never reach a program.
INSIDE = {"control", "dashboard", "desk"}
#: Why events of tracked jobs are lost.
LOSSES = ("store away", "too long", "fault")


# --- settings -----------------------------------------------------------------------------------


def test_every_setting_has_its_row() -> None:
    told = rows(read("settings.md"))
    assert set(told) == set(NAMES)
    assert {name: PREFIX + name.upper() in told[name][2] for name in NAMES} == dict.fromkeys(NAMES, True)


def test_defaults_of_settings_are_true() -> None:
    told = rows(read("settings.md"))
    plain = {
        field.name: str(field.default).removesuffix(".0")
        for field in msgspec.structs.fields(Settings)
        if isinstance(field.default, int | float)
    }
    assert {name: told[name][1].split()[0] for name in plain} == plain
    [redacted] = [field.default for field in msgspec.structs.fields(Settings) if field.name == "redact"]
    assert [name for name in redacted if f"`{name}`" not in told["redact"][1]] == []


def test_the_table_of_retries_is_true() -> None:
    shown = dict(re.findall(r"^(\w+) = ([\d.]+)$", read("settings.md"), re.MULTILINE))
    assert shown == {name: str(value) for name, value in msgspec.structs.asdict(RetryTable()).items()}


# --- commands -----------------------------------------------------------------------------------


def test_commands_are_described_by_their_own_help() -> None:
    assert cli_reference.PAGE.read_text(encoding="utf-8") == cli_reference.render(), (
        "the commands have changed: python -m scripts.cli_reference"
    )


def test_every_command_and_option_is_described() -> None:
    missing = []
    for context in cli_reference.contexts():
        text = section(cli_reference.PAGE, context.command_path)
        options = [parameter for parameter in context.command.params if isinstance(parameter, click.Option)]
        shown = [option.opts[0] for option in options if not option.hidden]
        missing += [f"{context.command_path} {option}" for option in shown if option not in text]
    assert missing == []


# --- errors -------------------------------------------------------------------------------------


def test_every_error_is_explained() -> None:
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert set(rows(read("errors.md"))) | {"GoatherdError"} == kinds


def test_the_error_tree_is_true() -> None:
    tree = re.findall(r"^([│├└─ ]*)(\w+)", section(REFERENCE / "errors.md", "Errors").split("```")[1], re.MULTILINE)
    drawn, above = {}, ["Exception"]
    for branch, name in tree[1:]:
        depth = len(branch) // 4
        above = [*above[: depth + 1], name]
        drawn[name] = above[depth]
    kinds = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    assert drawn == {name: kinds[name].__bases__[0].__name__ for name in drawn}
    assert set(drawn) == set(rows(read("errors.md"))) | {"GoatherdError"}


def test_kinds_of_errors_that_are_not_public_are_named() -> None:
    public = "|".join(name for name in vars(errors) if name[0].isupper())
    declared = re.compile(rf"^class (\w+)\((?:{public})\)", re.MULTILINE)
    sources = [path for path in (ROOT / "src" / "goatherd").rglob("*.py") if not INSIDE & set(path.parts)]
    kinds = {name for path in sources for name in declared.findall(path.read_text(encoding="utf-8"))}
    assert [name for name in kinds - vars(errors).keys() if f"`{name}`" not in read("errors.md")] == []


# --- metrics ------------------------------------------------------------------------------------


def test_every_metric_is_named() -> None:
    readings = msgspec.structs.replace(Meter().readings(), router=RouterReadings())
    described = re.findall(r"^# TYPE (\S+) (\w+)$", render(readings), re.MULTILINE)
    told = {name: cells[1] for name, cells in rows(read("metrics.md")).items() if name.startswith("goatherd_")}
    assert told == dict(described)


def test_every_metric_of_a_gateway_is_named() -> None:
    described = re.findall(r"^# TYPE (\S+) (\w+)$", GatewayMetrics().text(), re.MULTILINE)
    told = {name: cells[1] for name, cells in rows(section(REFERENCE / "metrics.md", "Of a gateway")).items()}
    assert {name: kind for name, kind in told.items() if name.startswith("sse_")} == dict(described)
    assert [why for why in GatewayMetrics().resyncs if f"`{why}`" not in read("metrics.md")] == []


def test_labels_of_metrics_are_named() -> None:
    beginnings = ("| `outcome`", "| `why`", "| `state`", "| `step`")
    labels = [line for line in read("metrics.md").splitlines() if line.startswith(beginnings)]
    known = [*map(get_args, (Outcome, CallOutcome, AnswerOutcome, TickOutcome, Stray)), LOSSES, LINK_STATES, STEPS]
    for line, values in zip(labels, known, strict=True):
        assert [value for value in values if f"`{value}`" not in line] == []


# --- wire format and states ---------------------------------------------------------------------


def test_every_member_of_the_envelope_is_described() -> None:
    assert set(rows(section(REFERENCE / "wire-format.md", "Native: the envelope, version 1"))) == set(
        Envelope.__struct_fields__
    )


def test_every_member_of_an_answer_is_described() -> None:
    assert set(rows(section(REFERENCE / "wire-format.md", "Answers"))) == set(Reply.__struct_fields__)


def test_every_header_of_ours_is_described() -> None:
    known = [*vars(message).values(), *vars(tally).values()]
    headers = {value for value in known if isinstance(value, str) and value.startswith("gh-")}
    told = rows(section(REFERENCE / "wire-format.md", "Beside the body"))
    assert {name for name in told if name.startswith("gh-")} == headers


def _wire(heading: str) -> set[str]:
    return set(rows(section(REFERENCE / "wire-format.md", heading)))


def test_every_member_of_a_pipelines_messages_is_described() -> None:
    trouble = Trouble(error_type="ValueError", message="no fonts")
    turn = Turn(
        key=UnitKey("video-7", "tts", 3), pipeline="dub", size=1, content=b"{}", phase="do", failures=0, tellings=0,
        trouble=trouble, trace_id="video-7", priority=0, created=0.0,
    )  # fmt: skip
    step = step_wire.envelope_of(turn, None, 0.0)
    assert _wire("A step") == set(msgspec.json.decode(step))
    stand_in = step_wire.compensation_message(
        turn, queue="by-hand", task="dub.silence", item_name="<parameter>", step_queue="task.tts", now=0.0
    )
    assert _wire("A step to stand in for") == set(msgspec.json.decode(stand_in.body))
    letter = step_wire.letter_body(step, trouble, 0.0, 4)
    assert _wire("A dead letter of a step") == set(msgspec.json.decode(letter))


def test_every_reason_of_a_dead_letter_is_explained() -> None:
    told = rows(section(DOCS / "howto" / "dead-letters.md", "Know the reasons"))
    assert set(told) == set(get_args(Reason))
    assert [reason for reason in get_args(Reason) if f"`{reason}`" not in read("states.md")] == []


# --- code -----------------------------------------------------------------------------------------


@pytest.mark.timeout(120)
@pytest.mark.parametrize("page", pages("reference", "explanation"), ids=name_of)
def test_the_code_of_a_page_works(page: Path, tmp_path: Path) -> None:
    play(page, tmp_path)
