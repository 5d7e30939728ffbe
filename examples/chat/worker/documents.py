"""Markdown as passages: what stands under one heading, in plain sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^#{1,6} +(.+?)(?: +\{.*\})?$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_RULE = re.compile(r"^[\s|:-]+$")
#: Lines of code that are still an example.
LONGEST_CODE = 20
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*])")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A part of a document."""

    #: The file, as readers know it.
    source: str
    #: The document's title and the heading.
    title: str
    #: One sentence to a line.
    text: str
    #: The first short example of code, if there is one, with its fences.
    code: str = ""

    @property
    def sentences(self) -> list[str]:
        """What it says, one by one."""
        return self.text.splitlines()


def read_folder(folder: Path) -> Iterator[Passage]:
    """Every passage of every Markdown file below a folder; records of decisions are not for users."""
    for path in sorted(folder.rglob("*.md")):
        if path.parent.name == "decisions":
            continue
        source = path.relative_to(folder).as_posix()
        yield from read_markdown(path.read_text(encoding="utf-8"), source)


def read_markdown(text: str, source: str) -> Iterator[Passage]:
    """The passages of one text; without any heading it is one passage."""
    document, heading = source, ""
    prose: list[str] = []
    blocks: list[list[str]] = []
    fence = ""

    def passage() -> Iterator[Passage]:
        if prose or blocks:
            title = document if heading in ("", document) else f"{document}: {heading}"
            code = next(("\n".join(block) for block in blocks if len(block) <= LONGEST_CODE), "")
            yield Passage(source=source, title=title, text="\n".join(prose), code=code)
        prose.clear()
        blocks.clear()

    for line in _COMMENT.sub("", text).splitlines():
        if fence:
            blocks[-1].append(line)
            if line.strip() == fence:
                fence = ""
        elif line.lstrip().startswith("```"):
            fence = "```"
            blocks.append([line.strip().partition(" ")[0]])
        elif found := _HEADING.match(line):
            yield from passage()
            heading = _plain(found[1])
            document = heading if document == source else document
        else:
            prose.extend(_sentences(line))
    yield from passage()


def _sentences(line: str) -> list[str]:
    if _RULE.match(line):
        return []
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    told = ": ".join(cell for cell in cells if cell).lstrip("-*> ").strip()
    return [_plain(sentence) for sentence in _END.split(told) if sentence]


def _plain(text: str) -> str:
    return _LINK.sub(r"\1", text).replace("**", "")
