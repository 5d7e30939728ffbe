from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.errors import DefinitionError
from goatherd.model.app_topology import Topology
from goatherd.model.topology import LONGEST_NAME, Queue, check_queue_name


@pytest.mark.parametrize("name", ["", "mail*", "mail.#", "x" * 201, "ü" * 101, "a\nb", "a\udc80"])
def test_a_name_that_some_broker_would_refuse_is_refused(name: str) -> None:
    with pytest.raises(DefinitionError, match="1 to 200 bytes"):
        check_queue_name(name)
    with pytest.raises(DefinitionError):
        Queue(name=name)


@pytest.mark.parametrize("name", ["mail", "task.extract_audio", "matching-pvp-7", "x" * 200, "ü" * 100])
def test_other_names_are_fine(name: str) -> None:
    assert Queue(name=name).name == name


@given(st.text())
def test_a_name_is_taken_or_refused_and_nothing_worse(name: str) -> None:
    try:
        check_queue_name(name)
    except DefinitionError:
        assert not name or not name.isprintable() or len(name.encode()) > LONGEST_NAME or set(name) & {"*", "#"}


@pytest.mark.parametrize("wrong", [{"ttl": 0}, {"ttl": -1.5}, {"max_length": 0}, {"prefetch": 0}, {"format": "yaml"}])
def test_a_contract_that_no_broker_could_keep_is_refused(wrong: dict[str, Any]) -> None:
    [name] = wrong
    with pytest.raises(DefinitionError, match=name):
        Queue(name="mail", **wrong)


def test_a_queue_learns_the_kind_of_its_exchange_if_it_was_said() -> None:
    topology = Topology()
    topology.exchange("sales", "topic")
    topology.exchange("sales", "topic")
    assert topology.with_exchange(Queue(name="orders", exchange="sales")).exchange_type == "topic"
    assert topology.with_exchange(Queue(name="orders", exchange="others")).exchange_type is None
    assert topology.with_exchange(Queue(name="orders")).exchange_type is None


def test_an_exchange_is_of_one_kind_that_there_is() -> None:
    topology = Topology()
    with pytest.raises(DefinitionError, match="use direct, fanout, headers, topic"):
        topology.exchange("sales", "ring")  # type: ignore[arg-type]
    topology.exchange("sales", "topic")
    with pytest.raises(DefinitionError, match="both 'topic' and 'direct'"):
        topology.exchange("sales", "direct")
