"""How far one crawl may go."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Everything that a site could overdo, and how much of it we take."""

    #: How many links away from the first page a request may ask for.
    depth: Annotated[int, Meta(ge=0)] = 5
    #: Addresses that are visited.
    pages: Count = 500
    #: Addresses that differ only in their query: calendars and session numbers never end.
    pages_per_path: Count = 10
    #: Pages read at the same time.
    at_once: Count = 4
    #: Bytes read of one page.
    page_bytes: Count = 1_000_000
    #: Seconds for one page, from looking up its host to its last byte.
    page_seconds: Seconds = 10.0
    #: Seconds for the whole crawl; less than the 30 s for which a synchronous caller waits.
    crawl_seconds: Seconds = 25.0
    #: Redirects followed one after the other.
    redirects: Count = 5
    #: Seconds between two pages that robots.txt may ask for; more is not waited for.
    longest_delay: Annotated[float, Meta(ge=0)] = 2.0
    #: Bytes of JSON in which the pages, failures and skipped addresses are listed.
    result_bytes: Count = 700_000
