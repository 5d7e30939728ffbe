"""The tests of the module itself, which are JavaScript: in Chromium, and in Node."""

import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route

from scripts.servers.node import node

ROOT = Path(__file__).parents[2]
UNIT = Path(__file__).parent / "unit"
MODULE = ROOT / "src" / "goatherd" / "web" / "static" / "goatherd.js"
TESTS = sorted(path.name for path in UNIT.glob("*.test.mjs"))

ORIGIN = "http://goatherd.test"
PAGE = """<!doctype html><meta charset="utf-8"><script type="importmap">
{"imports": {"node:test": "/stand_ins/test.mjs", "node:assert/strict": "/stand_ins/assert.mjs"}}
</script>"""
RUN = """async (name) => {
    await import(name);
    return await (await import("node:test")).run();
}"""


def test_the_module_does_what_its_tests_say_in_node(tmp_path: Path) -> None:
    # As .mjs, for which every Node knows what it is.
    shutil.copyfile(MODULE, tmp_path / "goatherd.mjs")
    for name in TESTS:
        shutil.copyfile(UNIT / name, tmp_path / name)
    command = [node(), "--test", *TESTS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.servers("chromium")
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("name", TESTS)
async def test_the_module_does_what_its_tests_say_in_chromium(browser: Browser, name: str) -> None:
    async with await browser.new_context() as context:
        await context.route(f"{ORIGIN}/**", serve)
        page = await context.new_page()
        await page.goto(ORIGIN)
        done = await page.evaluate(RUN, f"/{name}")
    assert done["failures"] == []
    assert done["count"] > 5


async def serve(route: Route) -> None:
    path = route.request.url.removeprefix(ORIGIN).lstrip("/")
    if path in ("", "favicon.ico"):
        await route.fulfill(body=PAGE, content_type="text/html")
    else:
        file = MODULE if path == "goatherd.mjs" else UNIT / path
        await route.fulfill(body=file.read_text(encoding="utf-8"), content_type="text/javascript; charset=utf-8")
