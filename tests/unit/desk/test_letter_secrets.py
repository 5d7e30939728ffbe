"""Secrets of dead letters: not shown, put back where they were, and asked for where nobody knows them."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from goatherd import Goatherd
from goatherd.desk.letter_edits import checked
from goatherd.desk.letter_facts import facts_of
from goatherd.errors import InvalidArguments
from goatherd.model.dead_letter import Burial, DeadLetter, StoredLetter
from goatherd.model.message import Message
from goatherd.model.redaction import restored

USERS = [{"name": "ada", "token": "A"}, {"name": "bob", "token": "B"}]
HIDDEN_USERS = [{"name": "ada", "token": "***"}, {"name": "bob", "token": "***"}]


def letter(arguments: Mapping[str, object], body: bytes = b"{}") -> DeadLetter:
    """Of a task of another program, whose arguments nobody can check here."""
    return DeadLetter(
        id="letter", job_id="job", task="foreign", queue="mail", key=None, arguments=arguments, body=body,
        reason="failed", error_type="ValueError", message="no", traceback="", attempts=1,
        created_at=datetime.now(UTC), failed_at=datetime.now(UTC),
    )  # fmt: skip


def edited(app: Goatherd, arguments: dict[str, object]) -> Mapping[str, object]:
    found = letter({"users": USERS})
    return checked(app, found, restored(arguments, found.arguments, app.settings.redact)).arguments


def test_a_secret_that_nobody_knows_in_its_place_must_be_written() -> None:
    app = Goatherd("shop")
    assert edited(app, {"users": HIDDEN_USERS}) == {"users": USERS}
    assert edited(app, {"users": HIDDEN_USERS[1:]}) == {"users": USERS[1:]}
    with pytest.raises(InvalidArguments, match="token: it is hidden"):
        edited(app, {"users": [*HIDDEN_USERS, {"name": "eve", "token": "***"}]})


def test_headers_that_tell_the_arguments_as_text_are_hidden() -> None:
    app = Goatherd("shop")
    headers = {"task": "mail", "argsrepr": "('hush',)", "kwargsrepr": "{'password': 'hush'}", "Token": "hush"}
    burial = Burial(reason="failed", error_type="ValueError", message="no", attempts=1, failed_at=1.0)
    message = Message(id="job", queue="mail", body=b"{}", headers=headers)
    stored = StoredLetter(id="letter", original=message, accepted=1.0, burial=burial)
    found = facts_of(app, letter({"Password": "hush"}), stored)
    assert "hush" not in repr(found)
    assert found.headers["task"] == "mail"


def test_a_body_without_end_is_shown_as_one() -> None:
    app = Goatherd("shop")
    burial = Burial(reason="unparsable", error_type="ValueError", message="no", attempts=1, failed_at=1.0)
    body = b"[" * 100_000
    stored = StoredLetter(
        id="letter", original=Message(id="job", queue="mail", body=body), accepted=1.0, burial=burial
    )  # fmt: skip
    assert "too deeply" in facts_of(app, letter({}, body), stored).body
