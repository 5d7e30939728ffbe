"""Tasks whose jobs are done in order: how they are declared, and what their jobs may be told."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.sync import Context as BlockingContext


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Goatherd:
    monkeypatch.chdir(tmp_path)
    return Goatherd("forum", broker_url=f"sqlite:///{tmp_path}/jobs.db")


def declared(app: Goatherd, **options: Any) -> Any:
    @app.task(**options)
    async def comment(post: int, text: str = "") -> None: ...

    return comment


# --- declaring --------------------------------------------------------------------------------------


def test_a_key_is_an_argument(app: Goatherd) -> None:
    task = declared(app, key="post", queue="comments")
    assert task.job(7).lane == "comments/post=7"
    assert (task.definition.lane.on_exhausted, task.definition.lane.limit) == ("hold", None)


def test_a_lane_may_have_a_policy_a_limit_and_a_name(app: Goatherd) -> None:
    task = declared(app, key="post", lane="posts", on_exhausted="cancel_rest", lane_limit=10)
    assert task.job(7).lane == "posts=7"
    assert (task.definition.lane.on_exhausted, task.definition.lane.limit) == ("cancel_rest", 10)


def test_a_key_may_be_a_function_of_the_arguments(app: Goatherd) -> None:
    assert declared(app, key=lambda post, text: f"{post}/{text}").job(7, "a").lane == "forum/key=7/a"


def test_a_context_is_no_argument_of_a_key(app: Goatherd) -> None:
    @app.task(key="post")
    async def comment(ctx: Context, post: int) -> None: ...

    @app.task(key=lambda post: post)
    def edit(ctx: BlockingContext, post: int) -> None: ...

    assert (comment.job(7).lane, edit.job(7).lane) == ("forum/post=7", "forum/key=7")


def test_a_context_is_no_key(app: Goatherd) -> None:
    @app.task(key="ctx")
    async def comment(ctx: Context, post: int) -> None: ...

    with pytest.raises(DefinitionError, match="no such argument; it has post"):
        comment.job(7)


def test_a_task_without_a_key_has_no_lane(app: Goatherd) -> None:
    assert declared(app).job(7).lane is None


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"key": 7}, "has key=7; give the name of an argument, or a function of them"),
        ({"lane": "posts"}, "has lane= but no key=; say which argument its lanes go by"),
        ({"on_exhausted": "skip"}, "has on_exhausted= but no key="),
        ({"lane_limit": 3}, "has lane_limit= but no key="),
        ({"key": "post", "on_exhausted": "ignore"}, "it is 'hold', 'skip' or 'cancel_rest'"),
        ({"key": "post", "lane_limit": 0}, "has lane_limit=0; it must be 1 or more"),
        ({"key": "post", "lane_limit": 1.5}, "has lane_limit=1.5; it must be 1 or more"),
        ({"key": "post", "lane": ""}, "a lane's name is text without / and ="),
        ({"key": "post", "lane": "a/b"}, "a lane's name is text without / and ="),
        ({"key": "post", "lane": "a=b"}, "a lane's name is text without / and ="),
        ({"key": "post", "lane": "a\nb"}, "a lane's name is text without / and ="),
        ({"key": "post", "lane": 7}, "a lane's name is text without / and ="),
        ({"key": "post", "remote": True}, "whoever does it elsewhere knows nothing of lanes"),
        ({"key": "post", "lanelimit": 3}, "did you mean lane_limit="),
    ],
)
def test_what_makes_no_sense_is_told_where_it_is_declared(app: Goatherd, options: dict[str, Any], told: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        declared(app, **options)
    assert told in str(raised.value)
    assert "'comment'" in str(raised.value)


def test_an_unknown_argument_is_told_before_anything_is_sent(app: Goatherd) -> None:
    task = declared(app, key="posts")
    with pytest.raises(DefinitionError, match="has key='posts', but no such argument; it has post, text"):
        task.job(7)


# --- jobs -------------------------------------------------------------------------------------------


def test_a_job_without_a_key_is_refused(app: Goatherd) -> None:
    @app.task(key="post")
    async def comment(post: int | None = None) -> None: ...

    with pytest.raises(InvalidArguments, match="post: it is the job's key") as raised:
        comment.job()
    assert raised.value.task == "comment"


def test_a_delayed_job_may_keep_its_place(app: Goatherd) -> None:
    task = declared(app, key="post")
    assert not task.options(delay=5).job(7).options.keep_place
    assert task.options(delay=5, keep_place=True).job(7).options.keep_place
    assert task.options(keep_place=True).options(at=datetime(2040, 1, 1, tzinfo=UTC)).job(7).options.keep_place


def test_a_place_that_nobody_would_take_is_told(app: Goatherd) -> None:
    keyed = declared(app, key="post")

    @app.task
    async def mail(to: str) -> None: ...

    for task, arguments in ((keyed.options(keep_place=True), (7,)), (mail.options(delay=5, keep_place=True), ("a",))):
        with pytest.raises(ValueError, match="keep_place= is for a delayed job of a task with a key"):
            task.job(*arguments)


async def test_a_call_is_not_delayed_in_a_lane_either(app: Goatherd) -> None:
    task = declared(app, key="post")
    async with app:
        with pytest.raises(ValueError, match="A call is made now"):
            await task.options(delay=5, keep_place=True).call(7)


# --- fences -----------------------------------------------------------------------------------------


async def test_a_task_that_is_called_here_has_no_fence(app: Goatherd) -> None:
    @app.task(key="post")
    async def comment(ctx: Context, post: int) -> int:
        return ctx.fence.token

    @app.task(key="post")
    async def commit(ctx: Context, post: int) -> None:
        await ctx.commit_with(object())

    @app.task
    def plain(ctx: BlockingContext) -> None:
        ctx.commit_with(object())

    for calling in (comment(7), commit(7)):
        with pytest.raises(DefinitionError, match="has no key=, or it was called without a queue"):
            await calling
    with pytest.raises(DefinitionError, match="Task 'plain' has no key="):
        plain()
