"""A drawing says what is known of each step, in whatever room there is."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from goatherd.cli.run_picture import MARKS, PLAIN_MARK, Picture
from goatherd.desk.run_looks import StepView
from tests.unit.cli.run_parts import NOW, step, step_code, step_look, trouble
from tests.unit.cli.test_run_rails import graphs

STATES = ("waiting", "held", "ready", "running", "spread", "done", "skipped", "failed")


def lines(steps: Sequence[StepView], width: int = 80, encoding: str = "utf-8") -> list[str]:
    return [line.plain for line in Picture(steps, width=width, encoding=encoding, now=NOW).lines()]


@st.composite
def runs(draw: st.DrawFn) -> list[StepView]:
    """Steps of which the code, the record or both know, with anything written in them."""
    steps = []
    for name, before in draw(graphs(most=9)).items():
        words = st.text(st.characters(codec="utf-8"), max_size=60)
        known = {
            "done": draw(st.integers(0, 10**7)),
            "total": draw(st.integers(0, 10**7)),
            "failures": draw(st.integers(0, 10**5)),
            "running": draw(st.integers(0, 3)),
            "compensating": draw(st.integers(0, 3)),
            "deaths": draw(st.integers(0, 3)),
            "phase": draw(st.sampled_from(("do", "compensate"))),
            "worker": draw(words),
            "started_at": draw(st.none() | st.floats(NOW - 10**7, NOW)),
            "trouble": draw(st.none() | words.map(trouble)),
        }
        look = step_look(name, draw(st.sampled_from(STATES[:1] + STATES[2:])), **known)
        who = draw(st.sampled_from(("both", "code", "record")))
        code = step_code(*before, is_map=bool(before) and draw(st.booleans()))
        steps.append(StepView(name=name, look=None if who == "code" else look, code=None if who == "record" else code))
    return steps


@given(runs(), st.integers(4, 120), st.sampled_from(("utf-8", "ascii", "latin-1", "cp1252", "cp437")))
def test_it_is_never_wider_than_asked_and_can_be_written(steps: list[StepView], width: int, encoding: str) -> None:
    for line in lines(steps, width, encoding):
        assert cell_len(line) <= width
        assert "\n" not in line
        line.encode(encoding)


@given(runs(), st.integers(60, 120))
def test_every_step_is_there_once(steps: list[StepView], width: int) -> None:
    nodes = [line.split() for line in lines(steps, width)[1:] if set(line.split()) & {step.name for step in steps}]
    named = [word for words in nodes if words[0] != "after" for word in words if word.startswith("s")]
    assert sorted(word for word in named if word in {step.name for step in steps}) == sorted(s.name for s in steps)


def test_what_is_known_of_each_step() -> None:
    steps = [
        step("extract", "done", started_at=NOW - 500, ended_at=NOW - 480, done=1),
        step("translate", "spread", "extract", is_map=True, done=40, total=50, running=2, worker="host:1", failures=3,
             started_at=NOW - 100, trouble=trouble("the provider\ndoes not answer"), skipped=1, deaths=2),
        step("poster", "failed", "extract", failed=1, failures=4, trouble=trouble()),
        step("tts", "ready", "translate", phase="compensate", compensating=1, trouble=trouble("too loud")),
        StepView(name="check", look=None, code=step_code("tts")),
        step("mux", "waiting", "check", "poster"),
        StepView(name="old", look=step_look("old", "ready"), code=None),
    ]  # fmt: skip
    assert lines(steps) == [
        "    step       state         items   time  failures  worker",
        "✓   extract    done                   20s",
        "├─╮",
        "│ ● translate  running       40/50  1m40s         3  host:1 +1",
        "│ │   1 left out, 2 workers lost",
        "│ │   ValueError: the provider does not answer",
        "│ │",
        "✗ │ poster     failed                             4",
        "│ │   ValueError: no fonts",
        "│ │",
        "│ ! tts        compensating",
        "│ │   ValueError: too loud",
        "│ │",
        "│ + check      new",
        "│ │   not in this run: the code has it since later",
        "├─╯",
        "·   mux        waiting",
        "",
        "○   old        ready",
        "      not in the code: nobody does it any more",
    ]


def test_a_terminal_without_box_drawing_gets_plain_characters() -> None:
    steps = [step("a", "done"), step("b", "ready", "a"), step("c", "failed", "a", trouble=trouble("größer"))]
    assert lines(steps, encoding="ascii") == [
        "    step  state",
        f"{PLAIN_MARK}   a     done",
        "+-+",
        f"| {PLAIN_MARK} b     ready",
        "|",
        f"{PLAIN_MARK}   c     failed",
        "      ValueError: gr\\xf6\\xdfer",
    ]


def test_rails_that_would_take_too_much_room_are_told_in_words() -> None:
    many = [step(f"s{number}", "done") for number in range(30)]
    last = step("last", "waiting", *(one.name for one in many))
    drawn = lines([*many, last], width=40)
    told = " ".join(line.strip() for line in drawn[drawn.index("· last  waiting") + 1 :])
    assert told == "after " + ", ".join(one.name for one in many)
    assert all(len(line) <= 40 for line in drawn)


def test_columns_give_way_before_the_steps_do() -> None:
    facts = [step("extract_audio", "running", worker="a-long-name.example.org:4711:0f3a2b11", running=1, failures=2)]
    assert lines(facts, 60)[1].split() == ["●", "extract_audio", "running", "2", "a-long-name.example.org…"]
    assert lines(facts, 30)[1].split() == ["●", "extract_audio", "running"]
    assert lines(facts, 12)[1].split() == ["●", "extract_a…"]


def test_what_others_wrote_does_not_command_the_terminal() -> None:
    assert "\\x1b[31m" in "".join(lines([step("a", "failed", trouble=trouble("\x1b[31m"))]))


def test_every_state_has_a_mark() -> None:
    assert {step("a", state).state for state in STATES if state != "held"} <= MARKS.keys()
