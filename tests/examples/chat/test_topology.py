"""What chat.yaml says is what other programs rely on, word for word, and the chat wants nothing else of them."""

import re
from pathlib import Path

import msgspec
import pytest

from examples.chat.herd import chat
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, QueueSpec
from goatherd.model.operator_yaml import read_operator_yaml
from goatherd.wiring.blueprints import app_definition

FILE = Path(__file__).parents[3] / "examples" / "chat" / "topology" / "chat.yaml"
#: What the chat has for itself.
OWN = re.compile(r"chat\.(dead|due|hold|work)\.v1")
#: The contract.
WANTED = Blueprint(
    vhost="eco2",
    exchanges=(ExchangeSpec(name="chat_tasks", type="direct"), ExchangeSpec(name="dlx", type="direct")),
    queues=(
        QueueSpec(
            name="chat.process",
            type="classic",
            arguments={
                "x-dead-letter-exchange": "dlx",
                "x-dead-letter-routing-key": "dlq.chat.process",
                "x-message-ttl": 3_600_000,
            },
        ),
        QueueSpec(name="dlq.chat.process", type="classic", arguments={"x-message-ttl": 604_800_000}),
    ),
    bindings=(
        BindingSpec(source="chat_tasks", destination="chat.process", key="chat.process"),
        BindingSpec(source="dlx", destination="dlq.chat.process", key="dlq.chat.process"),
    ),
)


def test_the_file_says_just_the_contract() -> None:
    read = read_operator_yaml(FILE.read_text(), FILE.name)
    assert (read.only(FILE.name), read.notes) == (WANTED, ())


@pytest.mark.parametrize("vhost", ["eco2", "trial"])
def test_the_chat_wants_the_contract_and_else_only_what_has_its_own_name(vhost: str) -> None:
    settings = msgspec.structs.replace(chat.settings, broker_url=f"amqp://localhost/{vhost}", declare="check")
    whole = app_definition(settings, chat.contracts(), chat.topology).blueprint
    assert Blueprint(
        vhost="eco2",
        exchanges=tuple(each for each in whole.exchanges if not OWN.match(each.name)),
        queues=tuple(each for each in whole.queues if not OWN.match(each.name)),
        bindings=tuple(each for each in whole.bindings if not any(map(OWN.match, (each.source, each.destination)))),
    ) == WANTED  # fmt: skip
    assert whole.policies == ()
