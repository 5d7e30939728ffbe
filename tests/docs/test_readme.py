"""What the README says works, and it is short."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from scripts.servers.addresses import chromium
from tests.docs.markdown import ROOT, blocks, prose
from tests.docs.story import play, user_environment
from tests.docs.terminal import PATIENCE, Terminal

README = ROOT / "README.md"

#: A newcomer reads a screen and a half.
MOST_LINES = 100


@pytest.mark.timeout(240)
def test_every_command_and_every_line_of_code_works(tmp_path: Path) -> None:
    play(README, tmp_path, imagine=True)


def test_it_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_what_is_not_run_here_is_run_by_another_test() -> None:
    notes = [block.note for block in blocks(README) if block.note.startswith("not run")]
    tests = [ROOT / re.findall(r"tests/[\w/]+\.py", note)[0] for note in notes]
    assert [test for test in tests if 'start("demo", "--once"' not in test.read_text(encoding="utf-8")] == []


def test_targets_in_the_text_are_there() -> None:
    text = "\n".join([*prose(README), *(block.text for block in blocks(README))])
    for command in re.findall(r"make (?:demo|example)(?: [A-Z]+=\w+)?", text):
        subprocess.run(
            ["make", "-n", *command.split()[1:]], cwd=ROOT, check=True, capture_output=True, timeout=PATIENCE
        )


@pytest.fixture
def service(tmp_path: Path) -> Iterator[str]:
    """The app of the README at work, and the address of its streams."""
    [app] = [block.text for block in blocks(README) if block.file == "app.py"]
    (tmp_path / "app.py").write_text(app, encoding="utf-8")
    terminal = Terminal("goatherd dev app:app --no-reload --port 0", tmp_path, user_environment())
    try:
        terminal.shows(["...Taking jobs from shop..."])
        [address] = re.findall(r"Streams at (http://[\d.:]+)/", terminal.said())
        yield address
    finally:
        terminal.close()


@pytest.mark.timeout(120)
@pytest.mark.servers("chromium")
@pytest.mark.xdist_group("browser")
def test_its_script_shows_the_text_in_a_browser(service: str, tmp_path: Path) -> None:
    [script] = [block.text for block in blocks(README) if block.language == "js"]
    start = ["goatherd", "send", "app:app", "answer", "question=why", "--watch"]
    ended = subprocess.run(
        start, cwd=tmp_path, env=user_environment(), check=True, capture_output=True, text=True, timeout=2 * PATIENCE
    )
    [id] = re.findall(r"^[0-9a-f-]{36}$", ended.stdout + ended.stderr, re.MULTILINE)
    with sync_playwright() as playwright:
        # Root, as whom tests run in containers, may not have the sandbox; the page is our own.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{service}/livez")
        page.add_script_tag(type="module", content=f'const run_id = "{id}", token = "none";\n{script}')
        page.wait_for_function("document.body.textContent === 'Forty-two.'", timeout=PATIENCE * 1000)
        browser.close()
