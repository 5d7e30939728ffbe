import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from goatherd.cli.target import load_app

FILES = {
    "one.py": "from goatherd import Goatherd\napp = Goatherd('one')\nsame = app\n",
    "two.py": "from goatherd import Goatherd\nfirst = Goatherd('first')\nsecond = Goatherd('second')\n",
    "empty.py": "app = 'no app'\n",
    "broken.py": "def deeper():\n    return 1 / 0\n\ndeeper()\n",
    "needs.py": "import not_installed_anywhere\n",
    "leaves.py": "import sys\nsys.exit(3)\n",
    "wrong.py": "from goatherd import Goatherd\napp = Goatherd('wrong')\n@app.task(priority=99)\ndef odd(): ...\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in {Path(file).stem for file in FILES}:
            del sys.modules[name]


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("target", "code", "told"),
    [
        ("one.py:app", 2, "'one.py:app' is a file. Name the module instead: one:app"),
        ("sub/one.py", 2, "Name the module instead: sub.one:app"),
        (":app", 2, "does not name an app. Write MODULE:APP"),
        ("one:", 2, "does not name an app. Write MODULE:APP"),
        ("brokn:app", 2, "There is no module 'brokn' in"),
        ("brokn:app", 2, "Did you mean broken?"),
        ("one.inner:app", 2, "There is no module 'one.inner'"),
        ("one:ap", 2, "one has no 'ap'. It has one:app, one:same."),
        ("empty:app", 2, "empty:app is a str, not a Goatherd app. There is no app in empty; make one"),
        ("empty", 2, "There is no app in empty"),
        ("two", 2, "Say which app of two is meant: MODULE:APP. It has two:first, two:second."),
        ("needs:app", 1, "No module named 'not_installed_anywhere'"),
        ("broken:app", 1, "ZeroDivisionError: division by zero"),
        ("leaves:app", 1, "SystemExit: 3"),
        ("wrong:app", 1, "has priority=99"),
        ("wrong:app", 1, "(wrong.py, line 3)"),
    ],
)
def test_a_wrong_target_is_explained(target: str, code: int, told: str) -> None:
    with pytest.raises(click.ClickException) as caught:
        load_app(target)
    assert caught.value.exit_code == code
    assert told in caught.value.message


@pytest.mark.usefixtures("project")
def test_the_users_own_traceback_is_short_and_complete() -> None:
    with pytest.raises(click.ClickException) as caught:
        load_app("broken:app")
    told = caught.value.message
    assert "line 4, in <module>" in told
    assert "line 2, in deeper" in told
    assert "importlib" not in told
    assert "goatherd" not in told


@pytest.mark.usefixtures("project")
def test_a_module_with_one_app_is_enough() -> None:
    assert load_app("one") is load_app("one:app") is load_app("one:same")
    assert load_app("two:second").name == "second"


@pytest.mark.usefixtures("project")
def test_only_what_is_started_to_serve_is_kept_from_a_broker_that_is_not_as_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever has to mend a broker needs to look at it, and to pause queues there."""
    monkeypatch.setenv("GOATHERD_DECLARE", "check")
    assert load_app("one:app").settings.declare == "never"
    assert load_app("two:first", starts=True).settings.declare == "check"
    monkeypatch.setenv("GOATHERD_DECLARE", "create")
    assert load_app("two:second").settings.declare == "create"
