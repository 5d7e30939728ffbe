"""Markdown becomes passages, and passages are found."""

from pathlib import Path

import pytest

from examples.chat.settings import DOCUMENTS
from examples.chat.worker.documents import Passage, read_folder, read_markdown
from examples.chat.worker.library import ADDED, Library, keywords

PAGE = """# Goats

A goat has *horns*. Most goats have [two](two.md).

<!-- nobody
sees this -->

## Milk {#milk}

| kind | litres |
|---|---|
| Saanen | 4 |

```python title="milk.py"
# not a heading
milk()
```
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "new" / "library.db")


def passage(source: str, title: str, text: str) -> Passage:
    return Passage(source=source, title=title, text=text)


def test_every_heading_begins_a_passage_of_plain_sentences() -> None:
    goats, milk = read_markdown(PAGE, "goats.md")
    assert (goats.title, goats.sentences, goats.code) == ("Goats", ["A goat has *horns*.", "Most goats have two."], "")
    assert (milk.title, milk.sentences) == ("Goats: Milk", ["kind: litres", "Saanen: 4"])
    assert milk.code == "```python\n# not a heading\nmilk()\n```"


def test_a_text_without_any_heading_is_one_passage() -> None:
    [only] = read_markdown("A goat has horns.", "added/goats")
    assert (only.title, only.text) == ("added/goats", "A goat has horns.")


def test_the_documents_of_the_project_can_be_read() -> None:
    sources = {one.source for one in read_folder(DOCUMENTS)}
    assert "howto/retry.md" in sources
    assert not any("decisions" in source for source in sources)


def test_the_best_passage_comes_first(library: Library) -> None:
    library.fill([passage("a.md", "Goats", "They climb."), passage("b.md", "Horns", "Goats have horns, and climb.")])
    assert [one.source for one in library.search("Do goats have horns?")] == ["b.md", "a.md"]


def test_word_endings_and_case_do_not_matter(library: Library) -> None:
    library.fill([passage("a.md", "Retry", "It retries three times.")])
    assert library.search("RETRIED")


def test_a_passage_with_less_than_half_of_the_words_is_not_meant(library: Library) -> None:
    library.fill([passage("a.md", "Goats", "They climb.")])
    assert library.search("goats winning olympic medals") == []


@pytest.mark.parametrize("question", ["", "?!", "how do I", '"; DROP TABLE passage; --', "a AND (b", "NEAR *"])
def test_no_question_breaks_the_search(library: Library, question: str) -> None:
    library.fill([passage("a.md", "Goats", "They climb.")])
    assert library.search(question) == []


def test_what_users_added_outlasts_a_new_start(library: Library, tmp_path: Path) -> None:
    library.add(f"{ADDED}sheep", [passage(f"{ADDED}sheep", "Sheep", "A ram has horns.")])
    library.add(f"{ADDED}sheep", [passage(f"{ADDED}sheep", "Sheep", "A sheep has wool.")])
    library.fill([passage("a.md", "Goats", "They climb.")])
    library.fill([passage("b.md", "Kids", "They jump.")])
    other = Library(tmp_path / "new" / "library.db")
    assert [one.text for one in other.search("wool")] == ["A sheep has wool."]
    assert (other.search("ram"), other.search("climb")) == ([], [])
    assert other.search("jump")


def test_keywords_leave_out_what_says_nothing() -> None:
    assert keywords("How do I retry a job, and a JOB?") == ["retry", "job"]
