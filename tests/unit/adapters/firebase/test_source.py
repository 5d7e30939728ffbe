"""What is heard of a database, as its double tells it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import Any

import msgspec
import pytest

from examples.arcade.firebase_double import FirebaseDouble
from goatherd.adapters.firebase import requests, source
from goatherd.adapters.firebase.address import Address, read_address
from goatherd.adapters.firebase.source import FirebaseCommands
from goatherd.adapters.firebase.tokens import Credential, FixedToken, Tokens
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.command import Command

PATH = "commands/prod"
PATIENCE = 20.0


@pytest.fixture
async def double() -> AsyncIterator[FirebaseDouble]:
    async with FirebaseDouble() as served:
        yield served


def address_of(double: FirebaseDouble, auth: str = "") -> Address:
    return read_address(f"firebase+{double.url}/{PATH}{auth and f'?auth={auth}'}")


class Ear:
    """Hears commands, one at a time."""

    def __init__(self, double: FirebaseDouble, tokens: Tokens | None = None, auth: str = "") -> None:
        address = address_of(double, auth)
        self.source = FirebaseCommands(address, tokens or FixedToken(address.auth))
        self._heard: AsyncGenerator[Sequence[Command], None] = self.source.commands()
        self._left: list[Command] = []

    async def next(self) -> tuple[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while not self._left:
                self._left += await anext(self._heard)
        command = self._left.pop(0)
        return command.key, msgspec.json.decode(command.body)

    async def begin(self) -> None:
        """Return when it listens."""
        async with asyncio.timeout(PATIENCE):
            self._left += await anext(self._heard)

    async def aclose(self) -> None:
        await self._heard.aclose()
        await self.source.close()


@pytest.fixture
async def ear(double: FirebaseDouble) -> AsyncIterator[Ear]:
    async with aclosing(Ear(double)) as made:
        yield made


async def test_first_those_that_are_there_then_those_that_come(double: FirebaseDouble, ear: Ear) -> None:
    early = double.push(PATH, {"n": 1})
    assert await ear.next() == (early, {"n": 1})
    late = double.push(PATH, {"n": "ü 🐐"})
    assert await ear.next() == (late, {"n": "ü 🐐"})


async def test_what_is_gone_is_not_told(double: FirebaseDouble, ear: Ear) -> None:
    await ear.begin()
    gone = double.push(PATH, {"n": 1})
    double.put(f"{PATH}/{gone}", None)
    double.put("commands", None)
    double.patch(PATH, {"a": None})
    double.put(f"{PATH}/z", True)
    assert [await ear.next(), await ear.next()] == [(gone, {"n": 1}), ("z", True)]


async def test_keys_that_look_like_numbers_are_told_as_a_list(double: FirebaseDouble, ear: Ear) -> None:
    double.put(PATH, {"0": "a", "2": "c", "3": "d"})
    assert double.get(PATH) == ["a", None, "c", "d"]
    assert [await ear.next() for _ in range(3)] == [("0", "a"), ("2", "c"), ("3", "d")]


async def test_one_that_is_written_in_parts_is_read_anew(double: FirebaseDouble, ear: Ear) -> None:
    await ear.begin()
    double.put(f"{PATH}/a/type", "go")
    assert await ear.next() == ("a", {"type": "go"})
    double.patch(f"{PATH}/a", {"user": "ann"})
    assert await ear.next() == ("a", {"type": "go", "user": "ann"})
    double.patch(PATH, {"a/data": 7, "b": {"type": "stop"}})
    assert await ear.next() == ("b", {"type": "stop"})
    assert await ear.next() == ("a", {"type": "go", "user": "ann", "data": 7})


async def test_several_written_above_at_once(double: FirebaseDouble, ear: Ear) -> None:
    await ear.begin()
    double.put("commands", {"prod": {"x": 1, "y": 2}, "test": {"z": 3}})
    assert [await ear.next(), await ear.next()] == [("x", 1), ("y", 2)]


async def test_one_and_many_are_removed_and_those_that_are_gone_do_not_matter(double: FirebaseDouble, ear: Ear) -> None:
    double.put(PATH, {"a b/ü".replace("/", "|"): 1, "b": 2, "c": 3, "d": 4})
    await ear.source.remove(["a b|ü"])
    await ear.source.remove(["b", "c", "never"])
    await ear.source.remove([])
    assert double.get(PATH) == {"d": 4}


async def test_a_child_that_the_stream_misses_is_found(
    double: FirebaseDouble, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "READ_EVERY", 0.1)
    await ear.begin()
    double.mischief.forget = 1
    missed = double.push(PATH, {"n": 1})
    assert await ear.next() == (missed, {"n": 1})


async def test_what_is_too_much_at_once_is_read_by_pages(
    double: FirebaseDouble, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "LARGEST", 3000)
    monkeypatch.setattr(source, "PAGE", 10)
    keys = [double.push(PATH, {"text": "x" * 100}) for _ in range(45)] + ["7", "-3", "12"]
    for key in keys[-3:]:
        double.put(f"{PATH}/{key}", 1)
    assert {(await ear.next())[0] for _ in keys} == set(keys)


async def test_the_token_goes_with_every_request_also_elsewhere(double: FirebaseDouble) -> None:
    async with FirebaseDouble(secret="s3cret") as elsewhere, aclosing(Ear(double, auth="s3cret")) as ear:
        double.mischief.elsewhere = elsewhere.url
        key = elsewhere.push(PATH, {"n": 1})
        assert await ear.next() == (key, {"n": 1})
        await ear.source.remove([key])
        assert elsewhere.get(PATH) is None
        assert {request.token for request in elsewhere.requests} == {"s3cret"}


class Renewing:
    """Gives another token whenever the last one is refused."""

    def __init__(self, *tokens: str) -> None:
        self.tokens = list(tokens)

    async def current(self) -> Credential:
        return Credential(headers={"Authorization": f"Bearer {self.tokens[0]}"})

    async def renew(self) -> bool:
        if len(self.tokens) == 1:
            return False
        del self.tokens[0]
        return True


async def test_a_token_that_is_revoked_is_renewed() -> None:
    async with FirebaseDouble(secret="first") as double:
        tokens = Renewing("first", "second")
        async with aclosing(Ear(double, tokens)) as ear:
            await ear.begin()
            double.revoke(new_secret="second")
            with pytest.raises(StopAsyncIteration):
                await ear.next()
        async with aclosing(Ear(double, tokens)) as ear:
            double.put(f"{PATH}/a", 1)
            assert await ear.next() == ("a", 1)


async def test_a_token_that_has_expired_is_renewed_and_the_request_made_again() -> None:
    async with FirebaseDouble(secret="second") as double, aclosing(Ear(double, Renewing("first", "second"))) as ear:
        double.put(f"{PATH}/a", 1)
        assert await ear.next() == ("a", 1)


async def test_who_is_not_let_in_is_told_without_the_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "httpx2")
    async with FirebaseDouble(secret="right") as double, aclosing(Ear(double, auth="wr0ng")) as ear:
        with pytest.raises(SettingsError, match=r"answers 401.*give a valid") as raised:
            await ear.next()
        assert "wr0ng" not in str(raised.value)
        with pytest.raises(SettingsError, match="answers 401"):
            await ear.source.remove(["a"])
    assert "auth=%2A%2A%2A" in caplog.text or "auth=***" in caplog.text
    assert "wr0ng" not in caplog.text


async def test_rules_that_do_not_allow_it_any_more(double: FirebaseDouble, ear: Ear) -> None:
    await ear.begin()
    double.cancel()
    with pytest.raises(SettingsError, match="may not be read any more"):
        await ear.next()


@pytest.mark.parametrize(
    ("status", "kind"),
    [(403, SettingsError), (404, SettingsError), (400, SettingsError), (429, Unavailable), (503, Unavailable)],
)
async def test_refusals(double: FirebaseDouble, ear: Ear, status: int, kind: type[Exception]) -> None:
    double.mischief.refuse, double.mischief.status = 2, status
    with pytest.raises(kind, match=f"answers {status}"):
        await ear.next()
    with pytest.raises(kind, match=f"answers {status}"):
        await ear.source.remove(["a"])


def _cut(double: FirebaseDouble) -> None:
    double.cut()


def _end(double: FirebaseDouble) -> None:
    double.end_streams()


@pytest.mark.parametrize("fault", [_cut, _end])
async def test_a_stream_that_is_lost_is_unavailable(
    double: FirebaseDouble, ear: Ear, fault: Callable[[FirebaseDouble], None]
) -> None:
    await ear.begin()
    fault(double)
    with pytest.raises(Unavailable, match=r"cannot be reached|ended the stream"):
        await ear.next()


async def test_a_stream_that_is_silent_is_lost(
    double: FirebaseDouble, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "SILENCE", 0.3)
    await ear.begin()
    double.mischief.stall()
    with pytest.raises(Unavailable, match="cannot be reached"):
        await ear.next()
    double.mischief.go_on()


async def test_signs_of_life_keep_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "SILENCE", 2.0)
    async with FirebaseDouble(keep_alive=0.05) as double, aclosing(Ear(double)) as ear:
        await ear.begin()
        before = asyncio.get_running_loop().time()
        while asyncio.get_running_loop().time() < before + 2.5:
            await ear.begin()


async def test_an_answer_that_does_not_come_is_unavailable(
    double: FirebaseDouble, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "DEADLINE", 0.3)
    double.mischief.stall()
    with pytest.raises(Unavailable, match="cannot be reached"):
        await ear.source.remove(["a"])
    double.mischief.go_on()


async def test_a_server_that_is_away() -> None:
    async with FirebaseDouble() as double:
        ear = Ear(double)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await ear.next()
    await ear.aclose()
