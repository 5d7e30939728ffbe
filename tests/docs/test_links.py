"""Every page can be found, and every link leads somewhere."""

import re
from pathlib import Path

import pytest

from tests.docs.markdown import DOCS, ROOT, anchors, links, name_of, pages, pictures

#: Pages that nobody reads through the navigation.
NOT_LISTED = {"explanation/decisions/0000-template.md"}

TEXTS = [
    *pages(), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
]  # fmt: skip


def test_every_page_is_in_the_navigation() -> None:
    _, _, navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    listed = re.findall(r"[\w/.-]+\.md", navigation)
    there = {str(page.relative_to(DOCS)) for page in pages()} - NOT_LISTED
    assert sorted(listed) == sorted(there)


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, ahead = set[Path](), [DOCS / "index.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            ahead += [target for link in links(page) if (target := place_of(page, link)) is not None]
    assert {name_of(page) for page in set(pages()) - reached} == set()


@pytest.mark.parametrize("page", TEXTS, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page) if is_dead(page, link)] == []


@pytest.mark.parametrize("page", TEXTS, ids=name_of)
def test_pictures_are_there(page: Path) -> None:
    assert [picture for picture in pictures(page) if is_dead(page, picture.partition("#")[0])] == []


@pytest.mark.parametrize("page", pages("tutorial", "howto", "reference", "explanation"), ids=name_of)
def test_a_page_begins_with_its_title(page: Path) -> None:
    assert page.read_text(encoding="utf-8").startswith("# ")


def is_dead(page: Path, link: str) -> bool:
    target = place_of(page, link)
    if target is None:
        return False
    _, _, anchor = link.partition("#")
    return not target.exists() or bool(anchor and anchor not in anchors(target))


def place_of(page: Path, link: str) -> Path | None:
    """The file that a link leads to; None for another site."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, _ = link.partition("#")
    return (page.parent / path).resolve() if path else page
