"""Visit one address."""

import asyncio
from dataclasses import dataclass, field, replace

import httpx2

from examples.kitchen.crawler.addresses import AddressRefused
from examples.kitchen.crawler.frontier import Visit
from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.links import NotWeb, parse, shown
from examples.kitchen.crawler.pages import is_html, read_page
from examples.kitchen.crawler.result import Failed, Page, Skipped, Trouble
from examples.kitchen.crawler.web import Answer, Web, WrongEncoding


@dataclass(frozen=True, kw_only=True)
class Visited:
    """What a visit brought, and where it leads on to."""

    found: Page | Failed | Skipped | None = None
    redirect: Visit | None = None
    links: list[Visit] = field(default_factory=list)
    #: Addresses on the page that no page can be read from.
    dead_ends: list[str] = field(default_factory=list)


async def carry_out(visit: Visit, web: Web, limits: Limits) -> Visited:
    """Read an address within its time; whatever the other side does is an outcome, never an error."""
    try:
        async with asyncio.timeout(limits.page_seconds):
            answer = await web.get(visit.url, limits.page_bytes, is_html)
    except AddressRefused:
        return Visited(found=Skipped(url=str(visit.url), reason="private"))
    except TimeoutError:
        return _failed(visit, "timeout", f"No answer, or not all of it, within {limits.page_seconds:g} s.")
    except WrongEncoding as error:
        return _failed(visit, "encoding", str(error))
    except (OSError, httpx2.HTTPError) as error:
        return _failed(visit, "connection", str(error) or type(error).__name__)
    return _outcome(visit, answer, limits)


def _outcome(visit: Visit, answer: Answer, limits: Limits) -> Visited:
    if answer.location is not None:
        return _redirected(visit, answer.location, limits.redirects)
    if not 200 <= answer.status < 300:
        return _failed(visit, "status", f"The server answered with status {answer.status}.")
    return _read(visit, answer)


def _read(visit: Visit, answer: Answer) -> Visited:
    page = Page(
        url=str(visit.url), status=answer.status, depth=visit.depth, content_type=answer.content_type, cut=answer.cut
    )
    if not is_html(answer.content_type):
        return Visited(found=page)
    read = read_page(answer)
    return Visited(
        found=replace(page, title=read.title, text=read.text, links=len(read.links), recipe=read.recipe),
        links=[Visit(url=link, depth=visit.depth + 1) for link in read.links],
        dead_ends=read.dead_ends,
    )


def _redirected(visit: Visit, location: str, most: int) -> Visited:
    """A redirect is followed as a link of the same depth, so that it is judged like one."""
    try:
        target = parse(location, visit.url)
    except NotWeb:
        return Visited(dead_ends=[shown(location, visit.url)])
    through = (*visit.through, visit.url)
    if target in through:
        return _failed(visit, "redirects", f"It leads back to {target}, where it came from.")
    if len(through) > most:
        return _failed(visit, "redirects", f"It is the end of {most} redirects, and leads on to {target}.")
    return Visited(redirect=Visit(url=target, depth=visit.depth, through=through))


def _failed(visit: Visit, reason: Trouble, message: str) -> Visited:
    return Visited(found=Failed(url=str(visit.url), depth=visit.depth, reason=reason, message=message))
