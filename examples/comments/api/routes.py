"""The endpoints. What is sent is accepted (202) as soon as it is in its lane, and done by a worker."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from examples.comments.api import operations, views
from examples.comments.api.accepting import Draft, accept
from examples.comments.api.bodies import (
    Accepted,
    AllAccepted,
    Closed,
    CommentId,
    Edit,
    Liked,
    Many,
    NewComment,
    NewPost,
    Order,
    Post,
    PostId,
    Posts,
    Who,
)  # fmt: skip
from examples.comments.api.live import Live
from examples.comments.herd import database
from examples.comments.worker.service import close_post, edit_comment, like
from examples.comments.worker.writing import Submitted

#: Comments of a post that are shown, the latest ones.
MOST = 10_000

routes = APIRouter(prefix="/api/v1")


@routes.get("/posts")
async def posts() -> Posts:
    """All posts, without their comments."""
    return Posts(posts=list(await views.all_posts(database)))


@routes.post("/posts", status_code=201)
async def publish(new: NewPost) -> Post:
    """A new post."""
    async with database.transaction() as desk:
        sql = "INSERT INTO post (title, body) VALUES (?, ?) RETURNING id"
        [(post_id,)] = await desk.do(sql, new.title, new.body)
    return await views.one_post(database, post_id, 0)


@routes.get("/posts/{post_id}")
async def post(post_id: PostId) -> Post:
    """A post with its comments, those that wait included."""
    return await views.one_post(database, post_id, MOST)


@routes.post("/posts/{post_id}/comments", status_code=202)
async def comment(post_id: PostId, new: NewComment) -> Accepted:
    """Submit a comment."""
    [accepted] = await accept([Draft(post_id, new.author, new.text)])
    return _accepted([accepted]).accepted[0]


@routes.post("/comments", status_code=202)
async def comment_many(many: Many) -> AllAccepted:
    """Submit comments on several posts at once; each post takes its own in this order."""
    return _accepted(await accept([Draft(one.post_id, one.author, one.text) for one in many.comments]))


@routes.patch("/posts/{post_id}/comments/{comment_id}", status_code=202)
async def edit(post_id: PostId, comment_id: CommentId, new: Edit) -> dict[str, str]:
    """Change a comment, also one that still waits to be written."""
    await views.one_post(database, post_id, 0)
    return {"id": await edit_comment.send(post_id=post_id, comment_id=comment_id, text=new.text)}


@routes.put("/posts/{post_id}/likes/{who}", status_code=202)
async def set_like(post_id: PostId, who: Who, new: Liked) -> dict[str, str]:
    """Like a post, or not any more."""
    await views.one_post(database, post_id, 0)
    return {"id": await like.send(post_id=post_id, who=who, liked=new.liked)}


@routes.put("/posts/{post_id}/closed", status_code=202)
async def set_closed(post_id: PostId, new: Closed) -> dict[str, str]:
    """Take no more comments than were submitted by now, or take them again."""
    await views.one_post(database, post_id, 0)
    return {"id": await close_post.send(post_id=post_id, closed=new.closed)}


@routes.post("/posts/{post_id}/lane")
async def operate(post_id: PostId, order: Order) -> dict[str, str]:
    """Let the comment that a post waits for be tried again, or be skipped."""
    return {"told": await operations.operate(order.do, post_id)}


@routes.get("/live")
async def live(request: Request) -> StreamingResponse:
    """All posts, and then every change, for as long as one listens."""
    streams: Live = request.app.state.live
    headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
    return StreamingResponse(streams.stream(), media_type="text/event-stream", headers=headers)


def _accepted(submitted: Sequence[Submitted]) -> AllAccepted:
    return AllAccepted(
        accepted=[Accepted(id=one.id, post_id=one.post_id, number=one.number) for one in submitted]
    )  # fmt: skip
