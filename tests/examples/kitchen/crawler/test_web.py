"""Never more is read than asked for."""

import asyncio
import gzip
import zlib

import pytest

from examples.kitchen.crawler.addresses import Addresses
from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.links import parse
from examples.kitchen.crawler.pages import is_html
from examples.kitchen.crawler.web import Answer, WrongEncoding, open_web
from tests.examples.kitchen.crawler.stage import AGENT, crawler, reply, serving
from tests.examples.kitchen.crawler.stage import Answer as Said


async def got(said: Said, most_bytes: int = 1000) -> Answer:
    async with serving({"/": said}) as site, open_web(Addresses(allow_private=True), AGENT) as web:
        return await web.get(parse(site.url), most_bytes, is_html)


async def test_a_page_is_read_to_its_end() -> None:
    answer = await got(reply("soup", content_type="Text/HTML; charset=latin-1"))
    assert (answer.body, answer.cut, answer.content_type, answer.charset) == (b"soup", False, "text/html", "latin-1")


@pytest.mark.parametrize(("length", "cut"), [(999, False), (1000, False), (1001, True), (100_000, True)])
async def test_a_page_is_cut_where_it_is_longer_than_the_limit(length: int, cut: bool) -> None:
    answer = await got(reply("x" * length))
    assert (len(answer.body), answer.cut) == (min(length, 1000), cut)


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_packed_pages_are_unpacked(encoding: str, pack: type[bytes]) -> None:
    answer = await got(reply(pack(b"soup " * 150), content_encoding=encoding))
    assert (answer.body, answer.cut) == (b"soup " * 150, False)


async def test_a_bomb_is_cut_before_it_goes_off() -> None:
    answer = await got(reply(gzip.compress(bytes(50_000_000)), content_encoding="gzip"), most_bytes=100_000)
    assert (answer.body, answer.cut) == (bytes(100_000), True)


@pytest.mark.parametrize("encoding", ["br", "gzip"])
async def test_what_is_not_packed_as_offered_is_refused(encoding: str) -> None:
    with pytest.raises(WrongEncoding):
        await got(reply(b"no such thing", content_encoding=encoding))


async def test_other_content_types_are_noted_and_not_read() -> None:
    answer = await got(reply(b"%PDF", content_type="application/pdf"))
    assert (answer.content_type, answer.body, answer.cut) == ("application/pdf", b"", False)


async def test_an_endless_page_ends_by_its_time() -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    async with serving({"/": drip}) as site:
        result = await crawler(Limits(page_seconds=0.2)).crawl(site.url, depth=1)
        [failed] = result.failed
        assert (failed.reason, failed.message) == ("timeout", "No answer, or not all of it, within 0.2 s.")
