"""Which jobs killed workers on this machine."""

from pathlib import Path

import pytest

from goatherd.adapters.rabbitmq.address import read_address
from goatherd.adapters.rabbitmq.notebook import Notebook, known_as
from goatherd.model.message import Message

ADDRESS = read_address("amqp://localhost/shop")


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def notebook(app: str = "shop") -> Notebook:
    opened = Notebook(ADDRESS, app)
    opened.open()
    return opened


def test_what_ran_when_a_process_died_has_one_death_more() -> None:
    for deaths in (1, 2, 3):
        dying = notebook()
        dying.begin("murderous")
        dying.end(dying.begin("harmless"))
        dying.let_go()
        living = notebook()
        assert (living.deaths("murderous"), living.deaths("harmless")) == (deaths, 0)
        living.close()


def test_those_who_live_are_not_counted() -> None:
    working, other = notebook(), notebook()
    working.begin("long")
    assert other.deaths("long") == 0
    working.close()
    assert other.deaths("long") == 0
    other.close()


def test_several_who_find_the_same_dead_count_it_once() -> None:
    dying = notebook()
    dying.begin("murderous")
    dying.let_go()
    living = [notebook() for _ in range(3)]
    assert [each.deaths("murderous") for each in living] == [1, 1, 1]
    living[0].forget("murderous")
    assert [each.deaths("murderous") for each in living] == [0, 0, 0]
    for each in living:
        each.close()


def test_apps_do_not_count_for_each_other() -> None:
    dying = notebook("kitchen")
    dying.begin("7")
    dying.let_go()
    living = notebook("shop")
    assert living.deaths("7") == 0
    living.close()


def test_a_folder_without_notes_goes_away(tmp_path: Path) -> None:
    notebook().close()
    assert not list(tmp_path.rglob("*.run"))


def test_strangers_messages_without_an_id_are_told_apart() -> None:
    one, other = Message(id="", queue="q", body=b"one"), Message(id="", queue="q", body=b"other")
    assert known_as(one) != known_as(other)
    assert known_as(Message(id="7", queue="q", body=b"one")) == "7"
