"""What `apply` will do about what TaskIQ left, found out without a broker."""

from typing import cast

from goatherd.definition import definition_of
from goatherd.engine.topology.applying import Applying
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.ports.plumbing import Plumbing
from tests.faults.topology.mortal import Mortal, chat_at
from tests.plumbing_in_memory import MemoryPlumbing


def _passing(name: str, dead_letters_to: str | None = None) -> QueueSpec:
    told = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead_letters_to}
    return QueueSpec(name=name, durable=False, arguments={} if dead_letters_to is None else told)


LEFT_BY_OLD_TASKIQ = Blueprint(
    exchanges=(ExchangeSpec(name="chat_tasks", type="topic", durable=False),),
    queues=(
        _passing("chat.process", "chat.process.dead_letter"),
        _passing("chat.process.delay", "chat.process"),
        _passing("chat.process.dead_letter"),
    ),
    bindings=(BindingSpec(source="chat_tasks", destination="chat.process", key="#"),),
)


async def steps_on_paper(before: Blueprint) -> list[str]:
    """All changes, in order."""
    app, _ = chat_at("amqp://localhost/", "http://localhost:15672", "create")
    plumbing = Mortal(MemoryPlumbing(before), dies_after=0, dies_within=0)
    await Applying(cast("Plumbing", plumbing), definition_of(app), lambda _: None).run()
    return plumbing.steps
