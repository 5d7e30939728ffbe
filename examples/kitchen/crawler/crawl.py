"""Walk through a site, link by link.

All pages of one depth are visited before those of the next, and everything that they lead to is judged in the order
in which it stands on them. So a crawl finds the same pages every time, whichever of them answers first.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from examples.kitchen.crawler.frontier import Frontier, Pace, Rights, Visit
from examples.kitchen.crawler.limits import Limits
from examples.kitchen.crawler.links import Site, parse
from examples.kitchen.crawler.report import Findings, report
from examples.kitchen.crawler.result import CrawlResult, Skipped
from examples.kitchen.crawler.visit import Visited, carry_out
from examples.kitchen.crawler.web import Web, open_web


class Crawler:
    """Crawls sites, each within the same limits."""

    def __init__(self, limits: Limits, rights: Rights, user_agent: str) -> None:
        self._limits = limits
        self._rights = rights
        self._user_agent = user_agent

    async def crawl(self, url: str, depth: int, *, seconds: float | None = None) -> CrawlResult:
        """Visit a page, and those of its site that are up to so many links away; raises NotWeb.

        It ends by its time limit, or within these seconds, with what it has found by then. Cancelled, it closes its
        connections.
        """
        first = parse(url)
        limits = self._within(seconds)
        depth = max(0, min(depth, limits.depth))
        async with open_web(self._rights.addresses, self._user_agent) as web:
            walk = _Walk(web, Frontier(Site(first), depth, limits, self._rights), limits)
            await walk.from_page(Visit(url=first, depth=0))
        return report(str(first), depth, walk.findings, seconds=walk.seconds, most_bytes=limits.result_bytes)

    def _within(self, seconds: float | None) -> Limits:
        if seconds is None or seconds >= self._limits.crawl_seconds:
            return self._limits
        return replace(self._limits, crawl_seconds=max(0.0, seconds))


class _Walk:
    """One crawl under way."""

    def __init__(self, web: Web, frontier: Frontier, limits: Limits) -> None:
        self._web = web
        self._frontier = frontier
        self._limits = limits
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self._until = self._began + limits.crawl_seconds
        self._places = asyncio.Semaphore(limits.at_once)
        self._pace = Pace()
        self.findings = Findings()

    @property
    def seconds(self) -> float:
        """How long it has taken until now."""
        return self._clock() - self._began

    async def from_page(self, first: Visit) -> None:
        """Visit everything that may be visited, depth by depth."""
        level = [first]
        while level:
            level = await self._visit_level(level)

    async def _visit_level(self, level: Sequence[Visit]) -> list[Visit]:
        """Visit pages of one depth, and where they redirect to; returns the links to the next."""
        links: list[Visit] = []
        while level:
            brought = await self._visit_all(await self._admitted(level))
            for visited in brought:
                self._note(visited)
                links += visited.links
            level = [visited.redirect for visited in brought if visited.redirect is not None]
        return links

    async def _admitted(self, wanted: Sequence[Visit]) -> list[Visit]:
        """Those that are visited; why the others are not is noted."""
        admitted: list[Visit] = []
        for visit in wanted:
            if not self._frontier.is_new(visit.url):
                continue
            match await self._judged_in_time(visit):
                case Visit() as judged:
                    admitted.append(judged)
                case Skipped() as skipped:
                    self.findings.add(skipped)
        return admitted

    async def _judged_in_time(self, visit: Visit) -> Visit | Skipped:
        try:
            async with asyncio.timeout_at(self._until):
                return await self._frontier.judge(visit, self._web)
        except TimeoutError:
            return _too_late(visit)

    async def _visit_all(self, visits: Sequence[Visit]) -> list[Visited]:
        """Visit them, a few at once; what is not done when the crawl's time is over is skipped."""
        brought = [Visited(found=_too_late(visit)) for visit in visits]

        async def visit_one(number: int, visit: Visit) -> None:
            async with self._places:
                await self._pace.turn(visit.delay)
                brought[number] = await carry_out(visit, self._web, self._limits)

        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._until), asyncio.TaskGroup() as group:
                for number, visit in enumerate(visits):
                    group.create_task(visit_one(number, visit), name=f"visit {visit.url}")
        return brought

    def _note(self, visited: Visited) -> None:
        if visited.found is not None:
            self.findings.add(visited.found)
        if visited.redirect is not None:
            self.findings.redirects += 1
        for end in visited.dead_ends:
            if self._frontier.is_new(end):
                self.findings.add(Skipped(url=end, reason="not web"))


def _too_late(visit: Visit) -> Skipped:
    return Skipped(url=str(visit.url), reason="time")
