"""The one definition of what an app wants its broker to have."""

from collections.abc import AsyncIterator, Collection
from dataclasses import replace
from typing import Any

import pytest

from goatherd import Context, Goatherd, Unavailable
from goatherd.definition import current_definition, definition_of, listened_queues, whole_definition
from goatherd.engine.step_book import answers_of
from goatherd.errors import DefinitionError
from goatherd.model.blueprint import Blueprint, QueueSpec
from goatherd.model.definition import Definition
from goatherd.model.survey import Survey
from goatherd.wiring import open_plumbing

URL = "amqp://guest:guest@127.0.0.1:1/"


def shop(**settings: Any) -> Goatherd:
    return Goatherd("shop", **{"broker_url": URL, **settings})


def queues(definition: Definition) -> set[str]:
    return {each.name for each in definition.blueprint.queues}


def orphans(definition: Definition, *names: str) -> list[str]:
    """Those of some more queues on a broker that nobody wants."""
    ours = {"x-dead-letter-exchange": "shop.dead.v1"}
    more = tuple(QueueSpec(name=name, arguments=ours) for name in names)
    live = replace(definition.blueprint, queues=(*definition.blueprint.queues, *more))
    found = definition.differences(Survey(blueprint=live, strangers=()))
    assert {each.change for each in found} <= {"orphan"}
    return [each.name for each in found]


def test_every_queue_that_an_app_ever_declares_is_in_it() -> None:
    app = shop()

    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    @app.cron("0 0 2 * * *", queue="night")
    async def archive() -> None: ...

    crawling = app.queue(
        "crawl", format="plain", answers_on="crawled", match="job_id", until={"status": ["done", "failed"]}
    )

    @app.task(queue=crawling, remote=True)
    async def crawl(url: str) -> str:
        raise NotImplementedError("another program does this")

    @app.listeners("match-{}", ["eu", "us"])
    async def match(region: str, player: int) -> None: ...

    plays = app.tally("plays")

    @plays.flush(every=5)
    async def store_plays(key: str, total: int) -> None: ...

    dub = app.pipeline("dub", takes=str, gives=str)

    @dub.step(after=dub.input, remote=True, queue="voices")
    async def voice(text: str) -> str:
        raise NotImplementedError("another program does this")

    @app.on_dead_letter
    async def tell(letter: object) -> None: ...

    wanted = {"mail", "night", "crawl", "crawled", "match-eu", "match-us", "voices", "shop.dead-letters"}
    assert queues(definition_of(app)) == wanted | {"shop", "shop.dead.v1", answers_of("shop")}


def test_hold_queues_belong_to_it_only_where_nothing_is_made() -> None:
    holds = {f"shop.hold.v1.{100 * 2**step}" for step in range(16)}
    for declare in ("check", "never"):
        assert {name for name in queues(definition_of(shop(declare=declare))) if ".hold." in name} == holds
    made_when_needed = definition_of(shop())
    assert not {name for name in queues(made_when_needed) if ".hold." in name}
    whole = definition_of(shop(declare="check")).blueprint
    assert not made_when_needed.differences(Survey(blueprint=whole, strangers=()))


def test_what_an_app_says_besides_is_in_it() -> None:
    app = shop()
    app.topology.exchange("news", "fanout")
    app.topology.policy("day", "^old", {"expires": 86_400_000})
    blueprint = definition_of(app).blueprint
    assert blueprint.exchange("news") is not None
    assert blueprint.policy("day") is not None
    app.topology.exchange("shop.dead.v1", "direct")
    with pytest.raises(DefinitionError, match=r"shop\.dead\.v1"):
        definition_of(app)


def listening(source: Any, declare: Any = "check") -> Goatherd:
    app = shop(declare=declare)

    @app.listeners("match-{}", source)
    async def match(region: str, player: int) -> None: ...

    return app


async def names() -> Collection[str]:
    return ["eu", "us"]


async def changing() -> AsyncIterator[Collection[str]]:
    yield ["eu", "us"]
    yield ["eu"]


@pytest.mark.parametrize("source", [names, changing])
async def test_queues_of_listeners_are_asked_for_where_nothing_is_made(source: Any) -> None:
    assert {"match-eu", "match-us"} < queues(await whole_definition(listening(source)))
    assert {"match-eu", "match-us"} < queues(await current_definition(listening(source)))
    made_when_needed = listening(source, "create")
    assert not await listened_queues(made_when_needed)
    for app in (made_when_needed, listening(source)):
        assert not orphans(definition_of(app), "match-eu", "match-asia")
        assert orphans(definition_of(app), "match", "match-") == ["match", "match-"]


async def test_a_source_may_need_what_the_app_prepares() -> None:
    pool: list[str] = []

    async def from_pool() -> Collection[str]:
        if not pool:
            raise ConnectionError("The pool is not open.")
        return pool

    app = listening(from_pool)

    @app.lifespan
    async def connect() -> AsyncIterator[None]:
        pool.append("eu")
        yield
        pool.clear()

    assert "match-eu" in queues(await whole_definition(app))
    assert not pool
    with pytest.raises(Unavailable, match=r"'match-\{\}' does not tell .*The pool is not open"):
        await listened_queues(app)
    assert "match-eu" not in queues(await current_definition(app))


async def test_what_is_no_name_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    async def odd() -> Collection[str]:
        return ["eu", "a#b"]

    assert [queue.name for queue in await listened_queues(listening(odd))] == ["match-eu"]
    assert "a#b" in caplog.text


@pytest.mark.parametrize("wrong", ["eu", {"eu": 1}, 7])
async def test_a_source_that_gives_no_names_is_told(wrong: Any) -> None:
    async def source() -> Any:
        return wrong

    with pytest.raises(Unavailable, match="no collection of names"):
        await listened_queues(listening(source))


def test_word_of_dead_letters_is_no_orphan_where_the_first_process_makes_its_queue() -> None:
    assert not orphans(definition_of(shop()), "shop.dead-letters")
    assert orphans(definition_of(shop(declare="check")), "shop.dead-letters") == ["shop.dead-letters"]


def test_it_is_its_own_fulfilment() -> None:
    app = shop()

    @app.task(tracked=True)
    async def count(ctx: Context) -> None: ...

    definition = definition_of(app)
    assert not definition.differences(Survey(blueprint=definition.blueprint, strangers=()))
    assert definition.differences(Survey(blueprint=Blueprint(), strangers=()))


async def test_a_file_has_no_topology(tmp_path: Any) -> None:
    app = shop(broker_url=f"sqlite:///{tmp_path / 'jobs.db'}", declare="check")
    with pytest.raises(DefinitionError, match="Only RabbitMQ has a topology"):
        definition_of(app)
    with pytest.raises(DefinitionError, match="Only RabbitMQ has a topology"):
        async with open_plumbing(app.settings):
            pass
    async with app:
        assert app.session().ports.plumbing is None


@pytest.mark.parametrize("standing_in", ["", ".swap.v1"])
def test_a_hold_queue_that_was_made_when_it_was_needed_must_be_right(standing_in: str) -> None:
    definition = definition_of(shop())
    held = QueueSpec(name=f"shop.hold.v1.5000{standing_in}", type="classic", arguments={"x-message-ttl": 5000})
    live = replace(definition.blueprint, queues=(*definition.blueprint.queues, held))
    found = definition.differences(Survey(blueprint=live, strangers=()))
    assert ("replace queue", "shop.hold.v1.5000") in {(each.change, each.name) for each in found}
