"""Whole programs: with OpenTelemetry configured, without it, and where it cannot even be imported."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM, BATCHING = (Path(__file__).with_name(name) for name in ("program.py", "batching.py"))

WITHOUT = """
import asyncio, sys
from goatherd import Goatherd
from goatherd.errors import MissingExtra
from goatherd.testing import testing

if {blocked}:
    sys.modules["opentelemetry"] = None  # so an import of it fails

app = Goatherd("shop")
done = []

@app.task
async def work(number: int) -> None:
    done.append(number)

async def main() -> None:
    async with testing(app) as t:
        await work.send(1)
        await work.start(2)
        await t.drain()

asyncio.run(main())
assert done == [1, 2]
assert [name for name, module in sys.modules.items() if name.startswith("opentelemetry") and module] == []
wanted = Goatherd("wanted", broker_url="sqlite:///jobs.db", tracing="on")
try:
    wanted.tracer()
except MissingExtra as error:
    print(error)
"""

WITHOUT_SDK = """
import asyncio, sys

sys.modules["opentelemetry.sdk"] = None  # so an import of it fails
from opentelemetry import baggage, context, trace
from goatherd import Goatherd
from goatherd.testing import testing

app = Goatherd("shop", tracing="on")
films = app.pipeline("films", takes=int, gives=int)
seen = []

def look() -> None:
    seen.append((trace.get_current_span().get_span_context().trace_id, baggage.get_baggage("tenant")))

@films.step(after=films.input)
async def cut(number: int) -> int:
    look()
    return number

@app.task
async def work() -> None:
    look()
    await films.start(1)

async def main() -> None:
    async with testing(app) as t:
        parent = trace.NonRecordingSpan(trace.SpanContext(7, 8, is_remote=True))
        for here in (trace.set_span_in_context(parent, baggage.set_baggage("tenant", "a")),
                     baggage.set_baggage("tenant", "b"), context.Context()):
            token = context.attach(here)
            await work.send()
            context.detach(token)
        await t.drain()
        assert not t.dead, t.dead
        assert sorted(map(str, seen)) == sorted(map(str, 2 * [(7, "a"), (0, "b"), (0, None)])), seen

asyncio.run(main())
assert not [name for name, module in sys.modules.items() if name.startswith("opentelemetry.sdk") and module]
print("passed on")
"""


def test_spans_of_a_child_process_are_in_the_trace(tmp_path: Path) -> None:
    spans = tmp_path / "spans"
    _run([str(PROGRAM)], tmp_path, SPANS=str(spans), JOBS=f"sqlite:///{tmp_path}/jobs.db")
    told = [line.split(" ", 3) for line in spans.read_text().splitlines()]
    assert len({trace_id for trace_id, *_ in told}) == 1
    names = {span_id: name for _, span_id, _, name in told}
    under = {(names.get(above, ""), name) for _, _, above, name in told}
    assert under == {
        ("", "main"), ("main", "call heavy"), ("call heavy", "process heavy"), ("process heavy", "in the child"),
    }  # fmt: skip


def test_spans_that_wait_to_be_sent_are_sent_at_the_end_also_by_a_child_process(tmp_path: Path) -> None:
    spans = tmp_path / "spans"
    _run([str(BATCHING)], tmp_path, SPANS=str(spans), JOBS=f"sqlite:///{tmp_path}/jobs.db")
    assert sorted(spans.read_text().splitlines()) == ["call heavy", "in the child", "process heavy"]


def test_nothing_is_imported_for_a_program_that_does_not_trace(tmp_path: Path) -> None:
    assert _run(["-c", WITHOUT.format(blocked=False)], tmp_path) == ""


def test_without_the_sdk_what_comes_in_is_still_passed_on(tmp_path: Path) -> None:
    assert _run(["-c", WITHOUT_SDK], tmp_path) == "passed on\n"


def test_where_the_extra_is_missing_only_those_who_want_traces_are_told(tmp_path: Path) -> None:
    assert "pip install 'goatherd[opentelemetry]'" in _run(["-c", WITHOUT.format(blocked=True)], tmp_path)


def _run(arguments: list[str], folder: Path, **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
