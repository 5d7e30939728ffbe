"""What is left over is let go also if only what has been mended told that it is."""

from dataclasses import replace

import pytest

from goatherd.engine.topology.applying import Applying
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.difference import Scope
from tests.plumbing_in_memory import MemoryPlumbing

QUEUE = QueueSpec(name="mails", type="classic")
WANTED = Blueprint(
    exchanges=(ExchangeSpec(name="post", type="direct"),),
    queues=(QUEUE,),
    bindings=(BindingSpec(source="post", destination="mails", key="mails"),),
)
#: Dead letters went straight to a queue of the library.
FOUND = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "library.dead"}
GRAVE = QueueSpec(name="library.dead", type="classic")


@pytest.mark.parametrize(("letters", "left"), [(0, ["mails"]), (1, ["library.dead", "mails"])])
async def test_a_queue_that_got_the_dead_letters_goes_if_it_is_empty(letters: int, left: list[str]) -> None:
    plumbing = MemoryPlumbing(replace(WANTED, queues=(replace(QUEUE, arguments=FOUND), GRAVE)))
    for _ in range(letters):
        plumbing.publish("", "library.dead", b"dead", mandatory=True)
    definition = Definition(
        blueprint=WANTED, scope=lambda seen: Scope(strangers=(), crowds=seen.crowds, default_type=seen.default_type)
    )
    await Applying(plumbing, definition, lambda _: None, patience=1).run()
    assert [each.name for each in plumbing.blueprint.queues] == left
    assert len(plumbing.waiting("library.dead") if letters else []) == letters
