"""What is read from a page."""

import json

import pytest

from examples.kitchen.crawler.links import parse
from examples.kitchen.crawler.pages import LONGEST_TEXT, LONGEST_TITLE, MOST_LINKS, Reading, read_page
from examples.kitchen.crawler.result import Recipe
from examples.kitchen.crawler.web import Answer

URL = parse("http://kitchen.test/soups/")
INGREDIENTS = ["2 carrots", "1 l water"]


def reading(html: str | bytes, charset: str | None = None) -> Reading:
    body = html if isinstance(html, bytes) else html.encode()
    answer = Answer(url=URL, status=200, content_type="text/html", charset=charset, location=None, body=body, cut=False)
    return read_page(answer)


def recipe_in(told: object) -> Recipe | None:
    return reading(f'<script type="application/ld+json">{json.dumps(told)}</script>').recipe


def test_title_and_text_are_what_people_see() -> None:
    page = reading(
        "<head><title> Tomato\n soup </title><style>p {}</style></head><body><script>x()</script>"
        "<p>Chop &amp; boil.</p><noscript>No!</noscript><template>?</template><p>Eat.</p></body>"
    )
    assert (page.title, page.text) == ("Tomato soup", "Chop & boil. Eat.")


def test_long_texts_are_shortened() -> None:
    page = reading(f"<title>{'t' * 999}</title><p>{'x' * 999}</p>")
    assert (len(page.title), len(page.text)) == (LONGEST_TITLE, LONGEST_TEXT)
    assert page.text.endswith("x…")


@pytest.mark.parametrize("html", ["", "<", "\0\0", "<title>", "<a href", b"\xff\xfe\x00"])
def test_anything_can_be_read(html: str | bytes) -> None:
    assert reading(html).links == []


def test_each_link_is_found_once() -> None:
    page = reading(
        "<a href=/a>1</a><a href='../a#x'>2</a><map><area href=b></map><a>3</a><a href=mailto:x@y>4</a>"
        "<a href=mailto:x@y>5</a><a href='http://[bad'>6</a>"
    )
    assert [str(link) for link in page.links] == ["http://kitchen.test/a", "http://kitchen.test/soups/b"]
    assert page.dead_ends == ["mailto:x@y", "http://%5bbad"]


@pytest.mark.parametrize(
    ("told", "link"), [("/pies/", "http://kitchen.test/pies/x"), ("mailto:x@y", "http://kitchen.test/soups/x")]
)
def test_links_begin_where_the_page_says(told: str, link: str) -> None:
    assert [str(found) for found in reading(f"<base href='{told}'><a href=x>").links] == [link]


def test_a_page_of_links_has_an_end() -> None:
    page = reading("".join(f"<a href=/{number}>.</a>" for number in range(MOST_LINKS + 100)))
    assert len(page.links) == MOST_LINKS


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("<title>Käse</title>".encode("latin-1"), "latin-1"),
        (b'<meta charset="latin-1">' + "<title>Käse</title>".encode("latin-1"), None),
        ("<title>Käse</title>".encode(), None),
        ("<title>Käse</title>".encode(), "no-such-charset"),
        ("<title>Käse</title>".encode(), "hex"),
    ],
)
def test_charsets_are_told_by_the_server_or_the_page(body: bytes, charset: str | None) -> None:
    assert reading(body, charset).title == "Käse"


@pytest.mark.parametrize(
    "told",
    [
        {"@type": "Recipe", "name": "Soup", "recipeIngredient": INGREDIENTS, "recipeInstructions": "Chop.\nBoil."},
        [{"@type": "WebPage"}, {"@type": ["Thing", "Recipe"], "name": "Soup", "recipeIngredient": INGREDIENTS,
          "recipeInstructions": ["Chop.", " Boil. "]}],
        {"@graph": [{"@type": "Recipe", "name": "Soup", "recipeIngredient": INGREDIENTS, "recipeInstructions": [
            {"@type": "HowToStep", "text": "Chop."}, {"@type": "HowToStep", "name": "Boil."}]}]},
        {"@type": "Recipe", "name": "Soup", "recipeIngredient": INGREDIENTS, "recipeInstructions": [
            {"@type": "HowToSection", "name": "All", "itemListElement": [{"text": "Chop."}, {"text": "Boil."}]}]},
    ],
    ids=["text", "list", "graph", "sections"],
)  # fmt: skip
def test_recipes_are_told_in_many_ways(told: object) -> None:
    assert recipe_in(told) == Recipe(name="Soup", ingredients=INGREDIENTS, steps=["Chop.", "Boil."])


@pytest.mark.parametrize("told", [{"@type": "Person"}, [], 7, None, {"@graph": "x"}, {"@type": {"Recipe": 1}}])
def test_other_things_are_no_recipes(told: object) -> None:
    assert recipe_in(told) is None


def test_a_recipe_may_say_little() -> None:
    told = {"@type": "Recipe", "name": None, "recipeIngredient": 7, "recipeInstructions": {"odd": 1}}
    assert recipe_in(told) == Recipe(name="", ingredients=[], steps=[])


@pytest.mark.parametrize(
    "script", ["{", "[" * 100_000, '{"@type": "Recipe", "name": ' + "[" * 9 + '"x"' + "]" * 9 + "}"]
)
def test_broken_and_bottomless_recipes_do_no_harm(script: str) -> None:
    found = reading(f'<title>t</title><script type="application/ld+json">{script}</script>')
    assert found.title == "t"
    assert found.recipe is None or found.recipe.name == ""
