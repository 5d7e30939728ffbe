import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from goatherd.desk.letter_groups import MOST_SAMPLES, group_of, grouped
from goatherd.model.dead_letter import DeadLetter

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


def letter(
    message: str, *, minutes: int = 0, task: str | None = "mail", error_type: str = "LookupError", id: str = "1"
) -> DeadLetter:
    return DeadLetter(
        id=id,
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


messages = st.from_regex(r"(no (user|order) [0-9]{1,4}( of [0-9]{1,3})?|gone)", fullmatch=True)
letters = st.lists(
    st.builds(
        letter,
        messages,
        minutes=st.integers(0, 50),
        task=st.sampled_from(["mail", "nap", None]),
        error_type=st.sampled_from(["LookupError", "OSError"]),
        id=st.uuids().map(str),
    ),
    max_size=30,
)


@given(letters)
def test_every_letter_is_in_exactly_one_group(found: list[DeadLetter]) -> None:
    groups = grouped(found)
    assert sum(group.count for group in groups) == len(found)
    assert len({group.id for group in groups}) == len(groups)
    assert [group.count for group in groups] == sorted((group.count for group in groups), reverse=True)
    for group in groups:
        its = [each for each in found if group_of(each) == group.id]
        assert len(its) == group.count
        times = [each.failed_at for each in its]
        assert (group.oldest, group.newest) == (min(times), max(times))
        assert len(group.samples) == min(MOST_SAMPLES, group.count)
        newest = sorted(times, reverse=True)[: len(group.samples)]
        by_id = {each.id: each for each in its}
        assert [by_id[sample].failed_at for sample in group.samples] == newest
        assert group.message == by_id[group.samples[0]].message


@given(letters)
def test_groups_differ_by_task_type_and_words_alone(found: list[DeadLetter]) -> None:
    told = {(each.task, each.error_type, re.sub(r"[0-9]+", "", each.message)) for each in found}
    assert len(grouped(found)) == len(told)
