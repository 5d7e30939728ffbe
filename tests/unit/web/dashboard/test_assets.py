"""Scripts and styles come from the package, as they were published."""

import hashlib
import re
from importlib.resources import files

from goatherd.web.dashboard.app import Dashboard
from goatherd.web.dashboard.assets import assets
from tests.unit.web.dashboard.callers import Caller

STATIC = files("goatherd.web") / "static"


def test_code_of_others_is_unchanged() -> None:
    told = (STATIC / "vendor" / "README.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \|.*`(\w{64})` \|$", told, re.MULTILINE)
    scripts = {file.name: file.read_bytes() for file in (STATIC / "vendor").iterdir() if file.name.endswith(".js")}
    assert {name: hashlib.sha256(body).hexdigest() for name, body in scripts.items()} == dict(rows)
    for licence in re.findall(r"`(\S+LICENSE\.txt)`", told):
        assert (STATIC / "vendor" / licence).is_file()


def test_nothing_is_loaded_from_elsewhere() -> None:
    texts = [asset.body.decode() for name, asset in assets().items() if name.startswith("dashboard/")]
    pages = files("goatherd.web.dashboard") / "templates"
    texts += [page.read_text() for page in pages.iterdir()]
    for text in texts:
        found = re.findall(r"(?:https?:)?//[a-z][\w.-]+", re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
        assert [url for url in found if url != "http://www.w3.org"] == []


def test_templates_have_no_script_and_no_style_of_their_own() -> None:
    for page in (files("goatherd.web.dashboard") / "templates").iterdir():
        text = page.read_text()
        assert not re.search(r"\bstyle=|<style|\son[a-z]+=|javascript:|\|safe\b|hx-on", text), page.name
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), page.name


async def test_browsers_keep_a_version_for_good(stranger: Caller, served: Dashboard) -> None:
    page = (await stranger.get("/")).text
    linked = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(linked) >= 6
    for address in linked:
        answer = await stranger.get(address)
        assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
    again = await stranger.get("/static/dashboard/main.js", if_none_match=answer.headers["etag"])
    assert again.status_code == 200
    again = await stranger.get("/static/dashboard/main.js", if_none_match=again.headers["etag"])
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-cache")


async def test_no_other_file_is_given_out(stranger: Caller) -> None:
    for path in ("goatherd.py", "../server.py", "dashboard/../../server.py", "vendor/README.md", "", "dashboard"):
        assert (await stranger.get(f"/static/{path}")).status_code in (401, 404), path
