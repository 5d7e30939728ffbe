"""What is read from a page of HTML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
from selectolax.lexbor import LexborHTMLParser

from examples.kitchen.crawler.links import NotWeb, parse, shown
from examples.kitchen.crawler.recipes import find_recipe
from examples.kitchen.crawler.result import Recipe
from examples.kitchen.crawler.web import Answer

HTML = ("text/html", "application/xhtml+xml")
LONGEST_TITLE = 200
LONGEST_TEXT = 300
#: More different links than these are not looked at.
MOST_LINKS = 1000
#: What a page's text is not.
UNSEEN = ["script", "style", "noscript", "template", "head"]
_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w-]{1,40})", re.IGNORECASE)


def is_html(content_type: str) -> bool:
    """Whether a page of this type is read."""
    return content_type in HTML


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A page as we read it."""

    title: str
    text: str
    #: Each once, in the order of the page.
    links: list[httpx2.URL]
    #: Addresses that lead to no page: mail, scripts, other schemes.
    dead_ends: list[str]
    recipe: Recipe | None


def read_page(answer: Answer) -> Reading:
    """Title, text, links and recipe of a page."""
    tree = LexborHTMLParser(_decoded(answer))
    links, dead_ends = _links(tree, answer.url)
    title = tree.css_first("title")
    recipe = find_recipe(script.text() for script in tree.css('script[type="application/ld+json"]'))
    return Reading(
        title=_line(title.text(), LONGEST_TITLE) if title is not None else "",
        text=_text(tree),
        links=links,
        dead_ends=dead_ends,
        recipe=recipe,
    )


def _decoded(answer: Answer) -> str:
    """The page's text: as the server says, as the page says itself, or as most are."""
    told = _CHARSET.search(answer.body, 0, 1024)
    charset = answer.charset or (told.group(1).decode("ascii") if told else "utf-8")
    try:
        return answer.body.decode(charset, "replace")
    except (LookupError, ValueError):
        return answer.body.decode("utf-8", "replace")


def _links(tree: LexborHTMLParser, page: httpx2.URL) -> tuple[list[httpx2.URL], list[str]]:
    start = _start_of_links(tree, page)
    links: dict[str, httpx2.URL] = {}
    dead_ends: dict[str, None] = {}
    for written in _written_links(tree):
        try:
            url = parse(written, start)
            links.setdefault(str(url), url)
        except NotWeb:
            dead_ends[shown(written, start)] = None
        if len(links) + len(dead_ends) == MOST_LINKS:
            break
    return list(links.values()), list(dead_ends)


def _written_links(tree: LexborHTMLParser) -> Iterator[str]:
    for link in tree.css("a[href], area[href]"):
        if (written := link.attributes.get("href")) is not None:
            yield written


def _start_of_links(tree: LexborHTMLParser, page: httpx2.URL) -> httpx2.URL:
    """What links are relative to: the page, unless it says otherwise."""
    told = tree.css_first("base[href]")
    try:
        return parse(told.attributes.get("href") or "", page) if told is not None else page
    except NotWeb:
        return page


def _text(tree: LexborHTMLParser) -> str:
    if tree.body is None:
        return ""
    tree.body.strip_tags(UNSEEN, recursive=True)
    return _line(tree.body.text(separator=" "), LONGEST_TEXT)


def _line(text: str, longest: int) -> str:
    """Text on one line, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
