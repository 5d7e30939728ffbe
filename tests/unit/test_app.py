"""The app: what it consists of, and how it is opened."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry
from goatherd.errors import DefinitionError, NotOpen, SettingsError, Unavailable


@pytest.fixture
def make_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Goatherd]:
    monkeypatch.chdir(tmp_path)

    def make(name: str = "shop", **settings: Any) -> Goatherd:
        return Goatherd(name, **{"broker_url": f"sqlite:///{tmp_path}/jobs.db", **settings})

    return make


@pytest.fixture
def app(make_app: Callable[..., Goatherd]) -> Goatherd:
    app = make_app()

    @app.task
    async def greet(name: str) -> None: ...

    return app


# --- opening -------------------------------------------------------------------------------------------------------


async def test_a_verb_outside_of_an_open_app_says_how_to_open_it(app: Goatherd) -> None:
    with pytest.raises(NotOpen, match=r"`async with app:`.*`async with app\.serve\('worker'\):`.*testing\(app\)"):
        await app.tasks["greet"].send("Ada")
    with pytest.raises(NotOpen):
        await app.send_many([])
    with pytest.raises(NotOpen):
        await app.health()


async def test_an_app_may_be_opened_inside_of_itself(app: Goatherd) -> None:
    async with app:
        async with app as same:
            assert same is app
        await app.tasks["greet"].send("Ada")
    with pytest.raises(NotOpen):
        await app.tasks["greet"].send("Ada")


async def test_tasks_that_open_an_app_at_the_same_moment_share_what_they_open(app: Goatherd) -> None:
    inside, leave = asyncio.Barrier(3), [asyncio.Event() for _ in range(3)]
    sessions = []

    async def user(number: int) -> None:
        async with app:
            sessions.append(app.session())
            await inside.wait()
            await leave[number].wait()
            await app.tasks["greet"].send("Ada")

    users = [asyncio.create_task(user(number)) for number in range(3)]
    for number, each in enumerate(users):
        leave[number].set()
        await each
    assert len({id(session) for session in sessions}) == 1
    with pytest.raises(NotOpen):
        app.session()


async def test_an_opening_that_failed_can_be_tried_again(make_app: Callable[..., Goatherd], tmp_path: Path) -> None:
    app = make_app()
    (tmp_path / "jobs.db").mkdir()
    with pytest.raises(Unavailable):
        await app.__aenter__()
    (tmp_path / "jobs.db").rmdir()
    async with app:
        assert app.session()


def test_every_event_loop_has_a_session_of_its_own(app: Goatherd) -> None:
    async def send() -> str:
        async with app:
            return await app.tasks["greet"].send("Ada")

    assert asyncio.run(send()) != asyncio.run(send())
    with pytest.raises(NotOpen):
        app.session()


async def test_an_app_can_be_served_inside_of_a_program(make_app: Callable[..., Goatherd]) -> None:
    app, greeted = make_app(), asyncio.Event()

    @app.task
    async def greet() -> None:
        greeted.set()

    async with app.serve("worker") as served:
        assert served is app
        await greet.send()
        async with asyncio.timeout(20):
            await greeted.wait()


@pytest.mark.parametrize("roles", [(), ("werker",), ("worker", "cook")])
async def test_a_role_that_there_is_not_is_told(app: Goatherd, roles: Any) -> None:
    with pytest.raises(DefinitionError, match="takes the roles that it should run, of 'worker'"):
        await app.serve(*roles).__aenter__()


async def test_wrong_settings_are_told_when_the_app_is_opened(make_app: Callable[..., Goatherd]) -> None:
    app = make_app(concurrency=0)
    with pytest.raises(SettingsError, match="concurrency= of the app is 0"):
        await app.__aenter__()


# --- what it consists of --------------------------------------------------------------------------------------------


def test_an_app_says_its_name() -> None:
    assert Goatherd("shop").name == "shop"
    assert repr(Goatherd("shop")) == "<Goatherd shop>"


@pytest.mark.parametrize("name", ["", "a*b", "x" * 201])
def test_an_app_is_named_like_a_queue(name: str) -> None:
    with pytest.raises(DefinitionError):
        Goatherd(name)


def test_two_tasks_cannot_have_one_name(app: Goatherd) -> None:
    with pytest.raises(DefinitionError, match="two tasks named 'greet'; give one of them another name="):

        @app.task
        async def greet() -> None: ...

    @app.task(name="greet again")
    async def greet_again() -> None: ...

    assert set(app.tasks) == {"greet", "greet again"}


def test_a_queue_is_described_once(app: Goatherd) -> None:
    described = app.queue("mail", format="plain", ttl=timedelta(minutes=5), max_length=10)
    assert (described.format, described.ttl, described.max_length) == ("plain", 300.0, 10)
    with pytest.raises(DefinitionError, match="'mail' is described twice"):
        app.queue("mail")


def test_a_queue_by_name_means_the_described_one(app: Goatherd) -> None:
    app.queue("mail", format="plain")

    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    assert send_mail.definition.format.name == "plain"
    assert app.format_of("mail").name == "plain"
    assert app.format_of("other").name == "native"


def test_a_queue_of_another_app_is_refused_for_its_contract_would_be_lost(app: Goatherd) -> None:
    theirs = Goatherd("other").queue("mail", format="plain")
    with pytest.raises(DefinitionError, match=r"described by another app.*describe it here too"):
        app.task(queue=theirs)


@pytest.mark.parametrize("wrong", [{"timeout": "soon"}, {"deadline": float("nan")}, {"timeout": float("inf")}])
def test_a_time_that_is_none_is_a_definition_error(app: Goatherd, wrong: dict[str, Any]) -> None:
    [name] = wrong
    with pytest.raises(DefinitionError, match=f"{name}: .* is not a span of time"):
        app.task(**wrong)
    with pytest.raises(DefinitionError, match="ttl: "):
        app.queue("mail", ttl="soon")  # type: ignore[arg-type]


def test_tasks_are_on_the_apps_own_queue_unless_they_say_more(make_app: Callable[..., Goatherd]) -> None:
    for app, queue in ((make_app(), "shop"), (make_app(default_queue="jobs"), "jobs")):

        @app.task
        async def greet() -> None: ...

        assert greet.definition.queue == queue


def test_the_retry_of_the_app_is_the_default_of_its_tasks(make_app: Callable[..., Goatherd]) -> None:
    own, of_the_task = Retry(7), Retry(1)
    app = make_app(retry=own)

    @app.task
    async def usual() -> None: ...

    @app.task(retry=of_the_task)
    async def special() -> None: ...

    assert usual.definition.retry is own
    assert special.definition.retry is of_the_task


async def test_a_mistake_in_any_task_is_told_when_the_app_is_opened(make_app: Callable[..., Goatherd]) -> None:
    app = make_app()

    @app.task
    async def greet(it: "NotThere") -> None: ...  # type: ignore[name-defined]  # noqa: F821 - that is the mistake

    with pytest.raises(DefinitionError, match="'greet' names 'NotThere'"):
        await app.__aenter__()


def test_the_app_wants_the_queues_of_its_tasks_and_those_it_described(app: Goatherd) -> None:
    app.queue("described")

    @app.task(queue="used")
    async def use() -> None: ...

    assert {queue.name for queue in app.contracts()} == {"shop", "used", "described"}


def test_an_app_that_wants_to_hear_of_dead_letters_has_a_queue_for_the_news(app: Goatherd) -> None:
    @app.on_dead_letter
    async def review(letter: object) -> None: ...

    announced = {queue.name: queue.announces_to for queue in app.contracts()}
    assert announced == {"shop": "shop.dead-letters", "shop.dead-letters": None}
    assert app.format_of("shop.dead-letters").name == "plain"
