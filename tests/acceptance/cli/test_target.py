"""The app is found in the folder where the user is, or it is said why not."""

from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage

pytestmark = embedded


def test_the_folder_of_the_user_comes_first(stage: Stage) -> None:
    assert [queue["name"] for queue in stage.json("queues", "list", "shop")] == ["gate", "mail", "shop"]
    package = stage.folder / "inner"
    package.mkdir()
    (package / "tasks.py").write_text("from shop import app\n", encoding="utf-8")
    assert stage.json("queues", "list", "inner.tasks:app")


def test_a_wrong_target_is_a_sentence_and_exit_code_2(stage: Stage) -> None:
    missing = stage.run("worker", "shpo:app", code=2).stderr
    assert "Usage: goatherd worker" in missing
    assert "Did you mean shop?" in missing
    assert "shop has no 'ap'. It has shop:app." in stage.run("queues", "list", "shop:ap", code=2).stderr


def test_code_that_cannot_be_imported_shows_the_users_lines_only(stage: Stage) -> None:
    (stage.folder / "broken.py").write_text("def deeper():\n    return 1 / 0\n\ndeeper()\n", encoding="utf-8")
    error = stage.run("send", "broken:app", "greet", code=1).stderr
    assert error.startswith("Error: broken cannot be imported:")
    assert error.endswith("ZeroDivisionError: division by zero\n")
    assert "line 2, in deeper" in error
    assert "goatherd/cli" not in error
