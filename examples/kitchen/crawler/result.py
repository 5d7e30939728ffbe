"""What a crawl found, ready to become JSON."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

#: Why an address was not visited.
Reason: TypeAlias = Literal["not web", "private", "offsite", "too deep", "robots", "limit", "time"]
#: Why an address that was visited gave no page.
Trouble: TypeAlias = Literal["status", "timeout", "redirects", "connection", "encoding"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A schema.org Recipe that a page carries."""

    name: str
    ingredients: list[str]
    steps: list[str]


@dataclass(frozen=True, kw_only=True)
class Page:
    """An address that was read."""

    url: str
    status: int
    #: Links away from the first page.
    depth: int
    #: Only text/html and application/xhtml+xml are read; of others no more than this is known.
    content_type: str
    title: str = ""
    #: How its text begins.
    text: str = ""
    #: Different addresses that it links to.
    links: int = 0
    #: Whether it was longer than we read.
    cut: bool = False
    recipe: Recipe | None = None


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """An address that was found and not visited."""

    url: str
    reason: Reason
    #: What more there is to say.
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An address that was visited in vain."""

    url: str
    depth: int
    reason: Trouble
    message: str


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How much was found, also of what is not listed."""

    pages: int
    recipes: int
    failed: int
    #: Addresses that only led on to another.
    redirects: int
    skipped: dict[Reason, int]


@dataclass(frozen=True, kw_only=True)
class CrawlResult:
    """One crawl."""

    url: str
    #: As deep as the crawl went; what was asked for, or the limit.
    depth: int
    pages: list[Page]
    failed: list[Failed]
    skipped: list[Skipped]
    counts: Counts
    #: Whether everything within the asked depth was visited: no limit of pages or time came first.
    complete: bool
    #: Whether the lists are shorter than the counts, because the result would be too large.
    cut: bool
    seconds: float
