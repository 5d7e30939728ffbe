from datetime import UTC, datetime, timedelta

from goatherd.cli.letter_tables import grouped
from goatherd.model.dead_letter import DeadLetter

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


def letter(message: str, *, minutes: int = 0, task: str | None = "mail", error_type: str = "LookupError") -> DeadLetter:
    return DeadLetter(
        id="1",
        job_id="2",
        task=task,
        queue="q",
        key=None,
        arguments={},
        body=b"{}",
        reason="failed",
        error_type=error_type,
        message=message,
        traceback="",
        attempts=1,
        created_at=NOON,
        failed_at=NOON + timedelta(minutes=minutes),
    )


def test_numbers_and_ids_do_not_split_a_group() -> None:
    groups = grouped(
        [
            letter("no user 17 at 0x7f12", minutes=5),
            letter("no user 4 at 0xABCD", minutes=9),
            letter("no user 4 in 01a1de9e-83f8-7f9a-b4e0-e2c91af4583d", minutes=1),
            letter("no user 5 in 01a1de9e-854b-732e-9468-39ed8e9f0c98", minutes=2),
            letter("no user 5 in 01a1de9e-854b-732e-9468-39ed8e9f0c99", minutes=3),
        ]
    )
    assert [(group.count, group.message) for group in groups] == [
        (3, "no user 5 in 01a1de9e-854b-732e-9468-39ed8e9f0c99"),
        (2, "no user 4 at 0xABCD"),
    ]
    assert (groups[1].oldest, groups[1].newest) == (NOON + timedelta(minutes=5), NOON + timedelta(minutes=9))


def test_tasks_types_and_words_do() -> None:
    groups = grouped([letter("a"), letter("b"), letter("a", task=None), letter("a", error_type="KeyError")])
    assert len(groups) == 4
