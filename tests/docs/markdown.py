"""Read the pages: their fenced blocks, their links and their headings."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})(?P<told>.*)$")
_NOTE = re.compile(r"^ *<!-- test: (?P<note>.+?) -->$")
_TITLE = re.compile(r'title="(?P<file>[^"]+)"')
_SAVE_AS = re.compile(r"^Save (?:this |it )?as `(?P<file>[^`]+)`.*:$")
_FILE_COMMENT = re.compile(r"# (?P<file>[\w/]+\.\w+)\n")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_PICTURE = re.compile(r'!\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"')
_HEADING = re.compile(r"^#{1,6} +(?P<text>.+?)(?: +\{[^}]*\})?$")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    #: The file that it is the content of.
    file: str | None
    #: What `<!-- test: … -->` above it says to whoever runs the page.
    note: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}, line {self.line}"


def pages(*folders: str) -> list[Path]:
    """Every page in these folders of docs/, or all of them."""
    return sorted(path for folder in folders or ("",) for path in (DOCS / folder).rglob("*.md"))


def name_of(page: Path) -> str:
    """How a page is called in the names of tests."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), 1))
    note, saved_as = "", None
    for number, line in lines:
        fence = _FENCE.match(line)
        if fence is None:
            if line.strip():
                note = told["note"] if (told := _NOTE.match(line)) else note if _SAVE_AS.match(line) else ""
                saved_as = told["file"] if (told := _SAVE_AS.match(line)) else saved_as if note else None
            continue
        language, _, rest = fence["told"].strip().partition(" ")
        text = _content(lines, fence)
        named = _TITLE.search(rest) or _FILE_COMMENT.match(text)
        file = named["file"] if named else saved_as
        found.append(Block(page=page, line=number, language=language, file=file, note=note, text=text))
        note, saved_as = "", None
    return found


def _content(lines: "enumerate[str]", fence: re.Match[str]) -> str:
    """The lines up to the closing fence, without the fence's own indentation."""
    inside: list[str] = []
    for _, line in lines:
        if line.strip() == fence["ticks"]:
            break
        inside.append(line.removeprefix(fence["indent"]))
    return "\n".join(inside) + "\n"


def prose(page: Path) -> list[str]:
    """The lines of a page that stand outside of fenced blocks."""
    outside: list[str] = []
    closing = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = _FENCE.match(line)
        if closing:
            closing = "" if line.strip() == closing else closing
        elif fence is not None:
            closing = fence["ticks"]
        else:
            outside.append(line)
    return outside


def links(page: Path) -> list[str]:
    """Where the page's links lead."""
    return [link["target"] for line in prose(page) for link in _LINK.finditer(line)]


def pictures(page: Path) -> list[str]:
    """Where the page's pictures are."""
    return [shown or named for line in prose(page) for shown, named in _PICTURE.findall(line)]


def anchors(page: Path) -> set[str]:
    """The names under which the page's headings can be linked."""
    headings = [heading["text"] for line in prose(page) if (heading := _HEADING.match(line))]
    return {_slug(heading) for heading in headings}


def section(page: Path, heading: str) -> str:
    """What stands under a heading, with the sections below it; raises KeyError."""
    lines = page.read_text(encoding="utf-8").splitlines()
    depth, inside = 0, []
    for line in lines:
        level = len(line) - len(line.lstrip("#")) if _HEADING.match(line) else 0
        if depth and level and level <= depth:
            break
        if depth:
            inside.append(line)
        elif level and line.lstrip("# ").strip() == heading:
            depth = level
    if not depth:
        raise KeyError(f"{name_of(page)} has no heading {heading!r}")
    return "\n".join(inside)


def _slug(heading: str) -> str:
    """As the toc extension of Python-Markdown makes it."""
    plain = re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


#: Pages that use a port which other tests use too, with the group in which those are.
_SHARING_A_PORT = {"stream-llm-answers.md": "llm pages", "live-progress.md": "browser"}


def apart(page: Path) -> Any:
    """A page as a test's parameter, which does not run beside others that use the same port."""
    group = _SHARING_A_PORT.get(page.name)
    return pytest.param(page, id=name_of(page), marks=[pytest.mark.xdist_group(group)] if group else [])
