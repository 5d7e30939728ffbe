"""What a site allows robots to do, by RFC 9309."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx2
from protego import Protego

from examples.kitchen.crawler.addresses import AddressRefused
from examples.kitchen.crawler.links import NotWeb, origin, parse
from examples.kitchen.crawler.web import Answer, Web, WrongEncoding

#: The RFC asks to read at least so much of the file, and to follow at least so many redirects.
MOST_BYTES = 512_000
MOST_REDIRECTS = 5
#: Seconds for which rules are kept, and for which a site counts as unreachable.
KEPT = 3600.0
KEPT_UNREACHABLE = 60.0
#: Sites whose rules are kept.
MOST_SITES = 1000


class Rules:
    """The rules of one site for one robot."""

    def __init__(self, robot: str, text: str, unreachable: str = "") -> None:
        self._rules = Protego.parse(text)
        self._robot = robot
        #: Why the site's own rules are not known, so that it counts as forbidden; empty if they are.
        self.unreachable = unreachable

    def allow(self, url: httpx2.URL) -> bool:
        """Whether the robot may read a page."""
        return self._rules.can_fetch(str(url), self._robot)

    @property
    def delay(self) -> float:
        """Seconds that the site wants between two pages."""
        return max(0.0, self._rules.crawl_delay(self._robot) or 0.0)


DENY_ALL = "User-agent: *\nDisallow: /"


@dataclass
class _Kept:
    """The rules of one site, once they are known."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    rules: Rules | None = None
    until: float = 0.0


class Robots:
    """Reads each site's robots.txt once in a while; crawls of one process share it."""

    def __init__(self, user_agent: str, *, seconds: float = 10.0, clock: Callable[[], float] = time.monotonic) -> None:
        #: Sites name a robot by the first word of its User-Agent.
        self._robot = user_agent.split("/", 1)[0].strip()
        self._seconds = seconds
        self._clock = clock
        self._sites: OrderedDict[str, _Kept] = OrderedDict()

    async def rules_for(self, url: httpx2.URL, web: Web) -> Rules:
        """The rules of the site that a page belongs to."""
        site = origin(url)
        kept = self._sites.setdefault(site, _Kept())
        self._sites.move_to_end(site)
        if len(self._sites) > MOST_SITES:
            self._sites.popitem(last=False)
        # Pages that are read at once wait here for one reading.
        async with kept.lock:
            if kept.rules is None or self._clock() >= kept.until:
                kept.rules = await self._read(parse(f"{site}/robots.txt"), web)
                kept.until = self._clock() + (KEPT_UNREACHABLE if kept.rules.unreachable else KEPT)
            return kept.rules

    async def _read(self, url: httpx2.URL, web: Web) -> Rules:
        try:
            async with asyncio.timeout(self._seconds):
                answer = await _final(url, web)
        except TimeoutError:
            return self._forbidden(f"no answer within {self._seconds:g} s")
        except (OSError, httpx2.HTTPError, WrongEncoding) as error:
            return self._forbidden(str(error) or type(error).__name__)
        except (AddressRefused, NotWeb):
            # A redirect to where no visitor may go: there are no rules that could be read.
            return Rules(self._robot, "")
        if answer.status >= 500:
            return self._forbidden(f"the server answered with status {answer.status}")
        # Any other status, also a redirect after too many, means that there are no rules.
        readable = 200 <= answer.status < 300
        return Rules(self._robot, answer.body.decode("utf-8-sig", "replace") if readable else "")

    def _forbidden(self, why: str) -> Rules:
        """The site may have rules, but they are out of reach: until they can be read, nothing is allowed."""
        return Rules(self._robot, DENY_ALL, f"robots.txt cannot be read ({why}), so nothing may be visited.")


async def _final(url: httpx2.URL, web: Web) -> Answer:
    """The answer at the end of redirects, or the last redirect that is followed."""
    for _ in range(MOST_REDIRECTS):
        answer = await web.get(url, MOST_BYTES, _any)
        if answer.location is None:
            return answer
        url = parse(answer.location, url)
    return await web.get(url, MOST_BYTES, _any)


def _any(content_type: str) -> bool:
    return True
