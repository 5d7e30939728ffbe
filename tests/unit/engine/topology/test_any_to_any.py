"""From any broker to any definition, dying on the way: the plan is empty in the end, and nothing is lost."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goatherd.engine.topology import emptying, quiet
from goatherd.engine.topology.applying import Applying
from goatherd.model.blueprint import Blueprint
from goatherd.model.difference import Difference
from tests.plumbing_in_memory import MemoryPlumbing
from tests.unit.engine.topology.draws import KEYS, blueprints, definition
from tests.unit.engine.topology.hard_life import HardLife, Killed, Publisher, lost


async def _die_trying(life: HardLife, wanted: Blueprint) -> None:
    try:
        await Applying(life, definition(wanted), lambda _: None, patience=1.0).run()
    except Killed:
        return


@pytest.fixture(autouse=True)
def no_waiting() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emptying, "SETTLING", 0.0)
        patch.setattr(emptying, "PAUSE", 0.0)
        patch.setattr(quiet, "KNOWN_TO_SENDERS", 0.0)
        yield


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blueprints(), blueprints(), st.sampled_from(["classic", "quorum"]), st.lists(st.integers(0, 60), max_size=3))
async def test_what_is_safe_loses_nothing_and_the_rest_is_done_when_it_is_allowed(
    live: Blueprint, wanted: Blueprint, default_type: str, deaths: list[int]
) -> None:
    broker = MemoryPlumbing(live, default_type=default_type)
    publishers = [Publisher(broker, each.name, key) for each in live.exchanges for key in KEYS[1:3]]
    # By the default exchange messages come in only before: under traffic such a queue is never empty at the right time.
    waiting = [Publisher(broker, "", each.name) for each in live.queues]
    for each in (*publishers, *waiting):
        each.publish(2)
    for death in deaths:
        await _die_trying(HardLife(broker, publishers, dies_after=death), wanted)
    applied = await Applying(HardLife(broker, publishers), definition(wanted), lambda _: None, patience=1.0).run()
    assert not lost(broker, (*publishers, *waiting))
    assert applied.left == await left_on(broker, wanted)
    assert all(each.risks or not each.mendable or applied.refused for each in applied.left)
    await Applying(HardLife(broker, []), definition(wanted), lambda _: None, allow_loss=True, patience=1.0).run()
    assert [each for each in await left_on(broker, wanted) if each.mendable] == []
    assert not [name for name in (*broker.queues, *broker.exchanges) if name.endswith((".swap.v1", ".paused.v1"))]


async def left_on(broker: MemoryPlumbing, wanted: Blueprint) -> list[Difference]:
    return definition(wanted).differences(await broker.survey(wanted))
