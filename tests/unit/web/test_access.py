"""Strangers learn nothing."""

import time
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.errors import SettingsError
from goatherd.model.stream_token import sign
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, by_platform, queued
from goatherd.web.gateway import Gateway
from tests.unit.web.conftest import SECRET, Visit
from tests.unit.web.visitor import Visitor


def token_for(job: str, app: str = "shop", secret: str = SECRET, until: float | None = None) -> str:
    return sign(secret, app, job, "ada", time.time() + 900 if until is None else until)


async def asked(gateway: Gateway, path: str, **more: Any) -> Visitor:
    return await Visitor(gateway, path, **more).over()


@pytest.mark.parametrize("path", ["/shop/{job}/events", "/stream?job_id={job}", "/chat/{job}/events"])
async def test_without_a_token_nobody_learns_whether_there_is_a_job(
    gateway: Gateway, author: Author, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look(*_: object) -> None:
        pytest.fail("the store was looked at")

    monkeypatch.setattr(gateway.place.sources, "of", look)
    answers = []
    for job in (author.job, "nobody"):
        target, _, query = path.format(job=job).partition("?")
        for headers in ({}, {"authorization": "Bearer x.y"}, {"authorization": f"Bearer {token_for(job, until=1.0)}"}):
            visitor = await asked(gateway, target, query=dict([query.split("=")] if query else []), headers=headers)
            assert visitor.status == 401
            assert visitor.headers["www-authenticate"] == "Bearer"
            answers.append((bool(headers), visitor.body, tuple(visitor.headers.items())))
    assert len(set(answers)) == 2


async def test_a_token_for_another_job_or_app_is_no_use(gateway: Gateway, author: Author) -> None:
    bodies = set()
    for job in (author.job, "nobody"):
        headers = {"authorization": f"Bearer {token_for('another')}"}
        visitor = await asked(gateway, f"/shop/{job}/events", headers=headers)
        assert visitor.status == 403
        bodies.add(visitor.body)
        visitor = await asked(gateway, f"/chat/{job}/events", headers={"authorization": f"Bearer {token_for(job)}"})
        assert visitor.status == 403
        bodies.add(visitor.body)
    assert len(bodies) == 1


async def test_a_token_of_another_secret_or_app_is_not_valid(gateway: Gateway, author: Author) -> None:
    for token in (token_for(author.job, secret="another secret, also long"), token_for(author.job, app="chat")):
        visitor = await asked(gateway, f"/shop/{author.job}/events", headers={"authorization": f"Bearer {token}"})
        assert visitor.status == 401


async def test_a_token_comes_in_a_header_a_cookie_or_the_address(gateway: Gateway, author: Author) -> None:
    token = token_for(author.job)
    ways: list[dict[str, Any]] = [
        {"headers": {"authorization": f"bearer  {token}"}},
        {"headers": {"cookie": f"a=b; goatherd_stream={token}; c=d"}},
        {"query": {"token": token}},
        {"query": {"token": token}, "headers": {"cookie": "goatherd_stream=old.one"}},
    ]
    for way in ways:
        visitor = Visitor(gateway, f"/shop/{author.job}/events", **way)
        await visitor.told("token_recovery")
        visitor.task.cancel()


async def test_a_bad_header_is_not_saved_by_a_good_cookie(gateway: Gateway, author: Author) -> None:
    headers = {"authorization": "Bearer x.y", "cookie": f"goatherd_stream={token_for(author.job)}"}
    assert (await asked(gateway, f"/shop/{author.job}/events", headers=headers)).status == 401


@pytest.mark.parametrize("settings", [{"gateway_keepalive": 0.2}], indirect=True)
async def test_when_the_token_ends_one_is_sent_away(gateway: Gateway, author: Author) -> None:
    token = token_for(author.job, until=time.time() + 1)
    visitor = await asked(gateway, f"/shop/{author.job}/events", query={"token": token})
    last = visitor.reader.frames[-1]
    assert (last.event, last.content, last.id) == ("reconnect", {"reason": "token"}, None)
    assert (await asked(gateway, f"/shop/{author.job}/events", query={"token": token})).status == 401


async def test_without_a_secret_nobody_is_served(tmp_path: Any) -> None:
    gateway = Gateway([Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db")])
    with pytest.raises(SettingsError, match="GOATHERD_SECRET"):
        await gateway.open()
    visitor = await asked(gateway, "/shop/j/events", query={"token": token_for("j")})
    assert (visitor.status, visitor.body) == (503, b"Events cannot be read for now; come back.\n")


async def test_in_development_the_door_may_be_open(app: Goatherd, author: Author) -> None:
    gateway = Gateway([app], open_to_all=True)
    for path, query in [(f"/shop/{author.job}/events", {}), ("/stream", {"job_id": author.job})]:
        visitor = Visitor(gateway, path, query=query)
        await visitor.told("token_recovery")
        visitor.task.cancel()
    assert (await asked(gateway, "/chat/j/events")).status == 404
    await gateway.close()


async def test_the_token_says_which_app_is_meant(
    app: Goatherd, settings: dict[str, Any], events: Events, author: Author
) -> None:
    other = Goatherd("chat", **{**settings, "secret": "the secret of the chat"})
    gateway = Gateway([app, other])
    for name, secret in (("shop", SECRET), ("chat", "the secret of the chat")):
        query = {"job_id": author.job, "token": token_for(author.job, name, secret)}
        visitor = Visitor(gateway, "/stream", query=query)
        await visitor.told("token_recovery")
        visitor.task.cancel()
        wrong = {**query, "service": "shop" if name == "chat" else "chat"}
        assert (await asked(gateway, "/stream", query=wrong)).status == 403
    both = Gateway([app, other], open_to_all=True)
    assert (await asked(both, "/stream", query={"job_id": author.job})).status == 400
    for opened in (gateway, both):
        await opened.close()


async def test_two_apps_have_their_own_jobs(settings: dict[str, Any], tmp_path: Any, events: Events) -> None:
    shop, chat = (
        Goatherd(name, **{**settings, "broker_url": f"sqlite:///{tmp_path}/{name}.db"}) for name in ("shop", "chat")
    )
    gateway = Gateway([shop, chat])
    source = await gateway.place.sources.of(chat)
    await by_platform(source.events, "j", queued())
    visitor = Visitor(gateway, "/chat/j/events", query={"token": token_for("j", "chat")})
    await visitor.told("token_recovery")
    visitor.task.cancel()
    assert (await asked(gateway, "/shop/j/events", query={"token": token_for("j", "shop")})).status == 404
    await gateway.close()


async def test_a_visit_by_one_who_may(visit: Visit, author: Author) -> None:
    assert (await visit().answered()).status == 200
