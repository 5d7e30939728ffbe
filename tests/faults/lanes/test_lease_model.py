"""The lease protocol of lanes, in all interleavings of two workers, two keys and three jobs."""

from pathlib import Path

import pytest

from scripts.servers.addresses import spin
from tests.faults.lanes.model_check import check

pytestmark = [pytest.mark.chaos, pytest.mark.servers("spin")]


def test_whatever_dies_effects_are_made_once_and_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finding = check(spin(), tmp_path)
    with capsys.disabled():
        print(f"\nthe lease protocol: {finding.states} states, {finding.errors} errors")  # noqa: T201 - for a person
    assert finding.errors == 0, finding
    assert finding.unreached == 0, "a part of the model that is never reached proves nothing"


@pytest.mark.parametrize(
    ("rule", "violated"),
    [
        ("NO_FENCING", "mine==token[key]"),
        ("NO_FENCE", "effects[(((key*2)+seq)-1)]==0"),
        ("POP_FIRST", "effects[0]==1"),
        ("NO_WAKING", "condition[0]=="),
    ],
)
def test_without_this_rule_it_fails(rule: str, violated: str, tmp_path: Path) -> None:
    finding = check(spin(), tmp_path, rule)
    assert finding.errors == 1
    assert violated in finding.violated
