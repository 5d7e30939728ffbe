"""Events, however their bytes are cut."""

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.adapters.firebase.event_stream import ServerEvent, events_in
from goatherd.adapters.firebase.requests import Overlong

SAID = 'event: put\ndata: {"ü": "🐐"}\n\n: nothing\r\nevent:patch\r\ndata:a\r\ndata: b\r\n\r\nevent: none\n\n'.encode()
MEANT = [ServerEvent("put", '{"ü": "🐐"}'.encode()), ServerEvent("patch", b"a\nb")]


async def heard(parts: list[bytes], limit: int = 1000) -> list[ServerEvent]:
    async def given_parts() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    return [event async for event in events_in(given_parts(), limit)]


@given(st.lists(st.integers(0, len(SAID)), max_size=12))
async def test_cut_anywhere_it_means_the_same(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(SAID)]
    assert await heard([SAID[a:b] for a, b in pairwise(places)]) == MEANT


@pytest.mark.parametrize("said", [b"data: " + b"x" * 50, b"data: x\n" * 50])
async def test_what_does_not_end_is_given_up(said: bytes) -> None:
    with pytest.raises(Overlong):
        await heard([said[place : place + 7] for place in range(0, len(said), 7)], limit=40)
