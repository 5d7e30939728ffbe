"""The pages of the site: 200 good ones, and those that lead into traps.

A home page and an about page; 9 shelves; 21 recipes on each. A shelf shows 7 of its recipes, and each of these links
to the one 7 further on, so that the last are 4 links away from home. Every page links back, in several spellings.
"""

import json
from collections.abc import Iterable

SHELVES = range(1, 10)
RECIPES = range(1, 22)
SHOWN = 7
#: Months that each page of the calendar links to; it has no end.
MONTHS_AHEAD = 5

METADATA = "http://169.254.169.254/latest/meta-data/"
METADATA_IPV6 = "http://[fd00:ec2::254]/latest/meta-data/"
ELSEWHERE = "http://elsewhere.example/"
LANDING = "http://elsewhere.example/landing"
MAIL = "mailto:cook@kitchen.example"
SCRIPT = "javascript:alert(1)"
FILES = "ftp://files.example/cookbook"

#: Where the home page leads, beside shelves and about.
TRAPS = [
    *("/cellar/wine", "/cellar/cheese?age=2", "/huge", "/bomb", "/slow", "/drip", "/hang-up", "/missing"),
    *("/broken/1", "/broken/2", "/broken/3", "/packed", "/round/a", "/ever/1", "/moved", "/to-metadata"),
    *("/to-elsewhere", "/calendar?month=1", "/deeper/", "/menu.pdf"),
    *(METADATA_IPV6, ELSEWHERE, SCRIPT, FILES),
]

ROBOTS = """\
User-agent: *
Disallow: /cellar/
"""


def html(title: str, links: Iterable[str], more: str = "") -> str:
    """A page."""
    listed = "\n".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"""<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title><style>li {{ color: green }}</style></head>
<body><h1>{title}</h1><p>Good food, and a few bones to choke on.</p>
<ul>
{listed}
</ul>
{more}</body></html>
"""


def good_pages() -> dict[str, str]:
    """The 200 pages by their paths."""
    shelves = {shelf_path(shelf): _shelf(shelf) for shelf in SHELVES}
    recipes = {recipe_path(shelf, number): _recipe(shelf, number) for shelf in SHELVES for number in RECIPES}
    home = html("The Kitchen", ["/about", *shelves, *TRAPS])
    return {"/": home, "/about": html("About us", ["/", "/about#us", MAIL]), **shelves, **recipes}


def calendar(month: int) -> str:
    """A page of the endless calendar."""
    return html(f"Month {month}", [f"/calendar?month={month + ahead}" for ahead in range(1, MONTHS_AHEAD + 1)])


def shelf_path(shelf: int) -> str:
    """Where a shelf is."""
    return f"/shelf/{shelf}"


def recipe_path(shelf: int, number: int) -> str:
    """Where a recipe is."""
    return f"/recipe/{shelf}/{number}"


def _shelf(shelf: int) -> str:
    return html(f"Shelf {shelf}", ["/", "#top", *(recipe_path(shelf, number) for number in RECIPES[:SHOWN])])


def _recipe(shelf: int, number: int) -> str:
    itself = recipe_path(shelf, number)
    back = ["/", "//127.1:{port}/", f"/./shelf/../shelf/{shelf}", f"{itself}#steps", f"{itself}?"]
    onward = [recipe_path(shelf, number + SHOWN)] if number + SHOWN in RECIPES else []
    told = {
        "@context": "https://schema.org",
        "@type": "Recipe",
        "name": f"Soup {shelf}.{number}",
        "recipeIngredient": [f"{number} carrots", "1 l of water"],
        "recipeInstructions": [{"@type": "HowToStep", "text": "Chop."}, {"@type": "HowToStep", "text": "Boil."}],
    }
    script = f'<script type="application/ld+json">{json.dumps(told)}</script>'
    return html(f"Soup {shelf}.{number}", [*back, *onward], script)
