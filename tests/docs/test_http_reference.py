"""What the gateway takes and answers stands in the reference."""

import re

from tests.docs.markdown import ROOT, section
from tests.docs.tables import REFERENCE, read

PAGE = REFERENCE / "http.md"
#: The modules of the gateway and of the health pages; the dashboard has folders of its own.
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "src" / "goatherd" / "web").glob("*.py")}


def found(pattern: str) -> set[str]:
    return {name for text in SOURCES.values() for name in re.findall(pattern, text)}


def test_every_parameter_is_described() -> None:
    asked = found(r'query\.get\("(\w+)"')
    assert asked, "the pattern still finds them"
    assert {name for name in asked if f"`{name}=" not in section(PAGE, "Parameters")} == set()


def test_every_status_is_described() -> None:
    answered = found(r"(?:Refusal\(|status=|later\()(\d{3})\b")
    assert {"401", "404", "503"} <= answered, "the pattern still finds them"
    assert {status for status in answered if not re.search(rf"\b{status}\b", read("http.md"))} == set()


def test_every_route_is_described() -> None:
    routes = found(r'"(/[a-z.]+)"')
    assert {"/stream", "/goatherd.js", "/livez"} <= routes, "the pattern still finds them"
    assert {route for route in routes if route not in read("http.md")} == set()
