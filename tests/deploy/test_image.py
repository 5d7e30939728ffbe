"""The images: by a linter's rules and by ours."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.deploy.dockerfile import DOCKERFILE, exec_form, last_said, lineage, stages
from tests.deploy.places import DEPLOY, TOP
from tests.docs.markdown import DOCS, blocks

IMAGES = ("goatherd", "examples")


def hadolint() -> str:
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ.get('PATH', '')}"
    found = shutil.which("hadolint", path=path)
    assert found is not None, "hadolint is missing: `make setup` installs it with the packages of the tests"
    return found


def of_the_docs() -> str:
    """The Dockerfile that users are shown."""
    [block] = [each for each in blocks(DOCS / "howto" / "deploy.md") if each.file == "Dockerfile"]
    return block.text


@pytest.mark.parametrize("text", [DOCKERFILE.read_text(), of_the_docs()], ids=["ours", "of the docs"])
def test_a_linter_has_nothing_to_say(text: str) -> None:
    done = subprocess.run(
        [hadolint(), "--no-color", "--failure-threshold", "style", "--config", os.devnull, "-"],
        input=text, capture_output=True, text=True, check=False, timeout=50,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("image", IMAGES)
def test_it_runs_as_nobody_in_particular(image: str) -> None:
    user, group = last_said(image, "USER").split(":")
    assert int(user) > 1000
    assert int(group) > 1000


@pytest.mark.parametrize("image", IMAGES)
def test_signals_reach_the_program(image: str) -> None:
    # A shell between them would keep them to itself.
    assert exec_form(last_said(image, "ENTRYPOINT")) == ["tini", "--"]
    assert exec_form(last_said(image, "CMD"))[0] == "goatherd"
    assert last_said(image, "STOPSIGNAL") == "SIGTERM"


@pytest.mark.parametrize("image", IMAGES)
def test_no_tool_of_the_build_is_in_it(image: str) -> None:
    for stage in lineage(image):
        assert not any("pip " in said for said in stage.all("RUN"))


def test_everything_is_installed_by_its_hash() -> None:
    installed = [part for stage in stages().values() for said in stage.all("RUN") for part in said.split(" && ")]
    from_files = [part for part in installed if " -r " in part]
    assert len(from_files) == 3
    for part in from_files:
        assert "--require-hashes" in part
        assert "--hash=sha256:" in (TOP / part.split(" -r ")[1].strip()).read_text()
    others = [part for part in installed if "pip install" in part and part not in from_files]
    assert all("--no-deps --no-index" in part for part in others)


def test_what_is_copied_is_there_and_is_sent_to_the_builder() -> None:
    sent = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"}
    for stage in stages().values():
        for said in stage.all("COPY"):
            if said.startswith("--from="):
                assert re.match(r"--from=([\w-]+) ", said)[1] in stages()  # type: ignore[index]
                continue
            for source in said.split()[:-1]:
                assert (TOP / source).exists()
                assert any(source == each or source.startswith(f"{each}/") for each in sent), source


# --- whether it is well ---------------------------------------------------------------------------------------


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/readyz" else 503)
        self.end_headers()
        self.wfile.write(b"as told\n")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def program() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,), name="a program that can be asked")
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


def healthcheck(url: str) -> tuple[int, str]:
    """The image's own command, with this Python and the file where it is here."""
    _python, isolated, file = exec_form(last_said("goatherd", "HEALTHCHECK"))
    [copied] = [said.split() for said in stages()["around"].all("COPY")]
    assert copied == ["deploy/healthcheck.py", file]
    command = [sys.executable, isolated, str(TOP / copied[0])]
    done = subprocess.run(
        command, env={"HEALTH_URL": url}, capture_output=True, text=True, check=False, timeout=30, cwd=Path("/")
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.strip()


def test_a_program_that_is_well(program: str) -> None:
    assert healthcheck(f"{program}/readyz") == (0, "200: as told")


def test_a_program_that_is_not(program: str) -> None:
    assert healthcheck(f"{program}/else") == (1, "503: as told")


def test_a_program_that_is_not_there() -> None:
    code, said = healthcheck("http://127.0.0.1:1/readyz")
    assert code == 1
    assert "cannot be asked" in said
