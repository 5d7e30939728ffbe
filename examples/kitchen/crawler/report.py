"""Sum up a crawl in a result of bounded size."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from examples.kitchen.crawler.result import Counts, CrawlResult, Failed, Page, Skipped

_Entry = TypeVar("_Entry", Page, Failed, Skipped)


@dataclass(kw_only=True)
class Findings:
    """What was found until now."""

    pages: list[Page] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    redirects: int = 0

    def add(self, found: Page | Failed | Skipped) -> None:
        """Note one more."""
        match found:
            case Page():
                self.pages.append(found)
            case Failed():
                self.failed.append(found)
            case Skipped():
                self.skipped.append(found)


def report(url: str, depth: int, findings: Findings, *, seconds: float, most_bytes: int) -> CrawlResult:
    """The result; its lists end where they would become larger than that, its counts are of everything."""
    counts = _count(findings)
    room = _Room(most_bytes)
    return CrawlResult(
        url=url,
        depth=depth,
        # Pages first: they are what was asked for, and the rest explains what is missing.
        pages=room.take(findings.pages),
        failed=room.take(findings.failed),
        skipped=room.take(findings.skipped),
        counts=counts,
        complete=not {"limit", "time"} & counts.skipped.keys(),
        cut=room.is_full,
        seconds=round(seconds, 3),
    )


def _count(findings: Findings) -> Counts:
    return Counts(
        pages=len(findings.pages),
        recipes=sum(page.recipe is not None for page in findings.pages),
        failed=len(findings.failed),
        redirects=findings.redirects,
        skipped=dict(Counter(skipped.reason for skipped in findings.skipped)),
    )


class _Room:
    """Bytes of JSON that are left."""

    def __init__(self, size: int) -> None:
        self._left = size
        self.is_full = False

    def take(self, entries: Iterable[_Entry]) -> list[_Entry]:
        """As many of these, from the first, as there is room for."""
        taken: list[_Entry] = []
        for entry in entries:
            size = len(msgspec.json.encode(entry)) + 1
            if self.is_full or size > self._left:
                self.is_full = True
                break
            self._left -= size
            taken.append(entry)
        return taken
