"""The table of a plan, as people see it."""

import re
from io import StringIO

import pytest
from rich.console import Console

from goatherd.cli.drift_table import DriftTable
from goatherd.cli.drift_words import next_step, told_counts, told_risks
from goatherd.desk.drift_words import told_details, told_value
from goatherd.model.blueprint import BindingSpec
from goatherd.model.difference import Detail, Difference, Risk

MISSING = Difference(
    change="create",
    kind="queue",
    name="dlq.chat.process",
    details=(
        Detail(field="type", wanted="classic", found=None),
        Detail(field="durable", wanted=True, found=None),
        Detail(field="auto_delete", wanted=False, found=None),
        Detail(field="arguments.x-message-ttl", wanted=604800000, found=None),
    ),
)
WRONG = Difference(
    change="replace queue",
    kind="queue",
    name="chat.process",
    details=(
        Detail(field="durable", wanted=True, found=False),
        Detail(field="arguments.x-dead-letter-exchange", wanted="dlx", found=""),
        Detail(field="arguments.x-message-ttl", wanted=3600000, found=None),
    ),
    risks=(Risk(loses="messages", why="somebody publishes straight to it"), Risk(loses="order", why="it is moved")),
)
WAY = Difference(
    change="unbind",
    kind="binding",
    name="chat_tasks → chat.process",
    details=(Detail(field="key", wanted=None, found="#"),),
    binding=BindingSpec(source="chat_tasks", destination="chat.process", key="#"),
)
LEFT = Difference(change="orphan", kind="queue", name="chat.process.delay", why="TaskIQ makes such a one")
STUCK = Difference(
    change="shadowed", kind="queue", name="mail", why="somebody's policy goes first; he must change it", mendable=False
)


def printed(*differences: Difference, width: int = 80) -> list[str]:
    """The lines of table and notes, without the empty ones."""
    written = StringIO()
    console = Console(width=width, file=written)
    drift = DriftTable(differences)
    console.print(drift.table(width))
    if (notes := drift.notes()) is not None:
        console.print(notes)
    return [line.rstrip() for line in written.getvalue().splitlines() if line.strip()]


def test_a_row_for_each_change_with_its_properties_below_each_other() -> None:
    told = [re.split(r"\s{2,}", line.strip()) for line in printed(MISSING, WRONG, WAY, LEFT)]
    assert told == [
        ["change", "name", "wanted → found"],
        ["─" * len(told[1][0])],
        ["create queue", "dlq.chat.process", "type: classic"],
        ["x-message-ttl: 604800000"],
        ["replace queue", "chat.process", "durable: true → false"],
        ['x-dead-letter-exchange: dlx → ""'],
        ["x-message-ttl: 3600000 → nothing"],
        ["! could lose messages (1)"],
        ["! could lose order (2)"],
        ["unbind", "chat_tasks → chat.process", "key: #"],
        ["orphan queue", "chat.process.delay", "TaskIQ makes such a one"],
        ["(1) somebody publishes straight to it"],
        ["(2) it is moved"],
    ]


def test_several_ways_to_lose_the_same_have_one_mark() -> None:
    risks = (Risk(loses="messages", why="one"), Risk(loses="order", why="two"), Risk(loses="messages", why="three"))
    told = printed(Difference(change="replace queue", kind="queue", name="mail", risks=risks))[2:]
    assert [line.split("  ")[-1].strip() for line in told] == [
        *("! could lose messages (1, 2)", "! could lose order (3)"),
        *("(1) one", "(2) three", "(3) two"),
    ]


def test_what_cannot_be_mended_from_here_says_who_can() -> None:
    told = printed(STUCK)
    assert told[2].endswith("✗ not to be mended from here (1)")
    assert told[3:] == ["(1) somebody's policy goes first; he must change it"]


def test_notes_have_the_whole_width_and_nothing_is_wider_than_the_terminal() -> None:
    long = Difference(change="orphan", kind="queue", name="q" * 60, risks=(Risk(loses="messages", why="why " * 60),))
    told = printed(WRONG, long)
    assert max(map(len, told)) <= 80
    assert sum(line.count("why") for line in told) == 60
    assert "".join(told).count("qqq") >= 60 // 4
    assert len([line for line in told if "why" in line]) <= 4


def test_names_cannot_command_the_terminal() -> None:
    [line] = printed(Difference(change="orphan", kind="exchange", name="\x1b[2Jx"))[2:]
    assert "\\x1b[2Jx" in line


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "nothing"),
        (True, "true"),
        (1, "1"),
        ("1", '"1"'),
        ("", '""'),
        ("true", '"true"'),
        ("nothing", '"nothing"'),
        ("two words", '"two words"'),
        ("chat.process", "chat.process"),
        ("*.mail", "*.mail"),
        ("#", "#"),
        (r"^dlq\.", r"^dlq\."),
        ("[a]", '"[a]"'),
        ({"a": [1]}, '{"a":[1]}'),
    ],
)
def test_values_are_never_taken_for_something_else(value: object, told: str) -> None:
    assert told_value(value) == told


def test_a_policy_that_is_missing_has_nothing_to_compare() -> None:
    details = (
        Detail(field="pattern", wanted="^dlq", found=None),
        Detail(field="apply_to", wanted="all", found=None),
        Detail(field="definition.max-length", wanted=5, found=None),
        Detail(field="priority", wanted=0, found=None),
    )
    assert told_details(Difference(change="policy", kind="policy", name="p", details=details)) == [
        "pattern: ^dlq",
        "max-length: 5",
    ]
    changed = (Detail(field="definition.max-length", wanted=5, found=6),)
    assert told_details(Difference(change="policy", kind="policy", name="p", details=changed)) == ["max-length: 5 → 6"]


def test_the_summary_counts_by_class_and_by_danger() -> None:
    every = [MISSING, WRONG, WAY, LEFT, STUCK]
    assert told_counts(every) == "5 differences: 1 create, 1 unbind, 1 replace queue, 1 orphan, 1 shadowed"
    assert told_counts([LEFT]) == "1 difference: 1 orphan"
    assert told_risks(every) == "Of these, 1 could lose messages, 1 could lose order, 1 cannot be mended from here."
    assert told_risks([LEFT, WAY]) == ""


def test_the_last_line_says_what_to_run_next() -> None:
    assert next_step([LEFT], "a:app") == "To mend it without losing a message: goatherd topology apply a:app"
    assert next_step([LEFT, STUCK, WAY], "a:app").startswith("To mend them without losing a message: ")
    assert next_step([LEFT, WRONG], "a:app").startswith("To mend what is safe: goatherd topology apply a:app")
    assert next_step([WRONG], "a:app").endswith("goatherd topology apply a:app --allow-loss")
    assert "the notes say who can" in next_step([STUCK], "a:app")
