from datetime import UTC, datetime
from uuid import UUID

from goatherd import Goatherd

NOON = datetime(2030, 1, 31, 12, tzinfo=UTC)


def test_the_same_value_written_in_two_ways_is_one_key() -> None:
    app = Goatherd("forum")

    @app.task(key="post", queue="comments")
    async def comment(post: UUID) -> None: ...

    written = "01A1E09C-9336-7BE4-8CCC-68850280D90B"
    lanes = {comment.job(UUID(written)).lane, comment.job(written).lane}  # type: ignore[arg-type]  # as JSON has it
    assert lanes == {f"comments/post={written.lower()}"}


def test_a_function_gets_what_the_task_gets() -> None:
    app = Goatherd("forum")

    @app.task(key=lambda at, /, zone="here": f"{at:%A} {zone}", queue="days")
    async def day(at: datetime, /, zone: str = "here") -> None: ...

    assert day.job(NOON).lane == "days/key=Thursday here"
    assert day.job(NOON.isoformat(), zone="there").lane == "days/key=Thursday there"  # type: ignore[arg-type]


def test_a_default_is_a_key_too() -> None:
    app = Goatherd("forum")

    @app.task(key="post", queue="comments")
    async def comment(text: str, post: int = 7) -> None: ...

    assert comment.job("hello").lane == "comments/post=7"
