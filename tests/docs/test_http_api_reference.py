"""The routes of the HTTP API stand in the reference, and no others."""

import re

from goatherd.web.api.problems import WORDS
from goatherd.web.api.sections import PREFIX, SECTIONS
from tests.docs.markdown import section
from tests.docs.tables import REFERENCE, rows

PAGE = REFERENCE / "http.md"


def test_every_route_is_described_by_its_subject() -> None:
    for subject in SECTIONS:
        told = {name for name in rows(section(PAGE, subject.name)) if re.match(r"[A-Z]+ /api/", name)}
        there = {
            f"{method} {PREFIX}{getattr(route, 'path_format', '')}"
            for router in subject.routers
            for route in router.routes
            for method in getattr(route, "methods", ())
        }
        assert told == there, subject.name


def test_every_status_is_described() -> None:
    told = section(PAGE, "Errors")
    assert [status for status in WORDS if not re.search(rf"^\| [^|]*\b{status}\b", told, re.MULTILINE)] == []
