"""The endpoints. A video is accepted (202) as soon as it is stored and its run is on record."""

from collections.abc import AsyncIterator

import msgspec
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse

from examples.dubbing.api import views
from examples.dubbing.api.accepting import begin, store
from examples.dubbing.api.bodies import Accepted, ChosenId, Language, NewTask, Speaker, Task, TaskId
from examples.dubbing.contract import new_task
from examples.dubbing.herd import database, dubbing, objects
from examples.dubbing.worker.service import dub

routes = APIRouter(prefix="/api/v1")


@routes.post("/tasks", status_code=202)
async def take(new: NewTask) -> Accepted:
    """Dub a video that is in the store."""
    task = new_task(new.source_video_key, new.source_language, new.target_language, new.speaker_id, new.id)
    if not await objects.has(task.source_video_key):
        raise HTTPException(422, f"There is no object {task.source_video_key!r}.")
    return Accepted(id=await begin(task))


@routes.post("/videos", status_code=202)
async def upload(
    request: Request,
    source_language: Language = "en",
    target_language: Language = "es",
    speaker_id: Speaker = "",
    chosen_id: ChosenId = "",
) -> Accepted:
    """Dub the video that is the body."""
    task = new_task("", source_language, target_language, speaker_id, chosen_id)
    await store(task, request.stream())
    return Accepted(id=await begin(task))


@routes.get("/tasks/{task_id}")
async def task(task_id: TaskId) -> Task:
    """A task as it stands, with its steps and segments."""
    return await views.one_task(database, task_id)


@routes.get("/tasks/{task_id}/events")
async def events(task_id: TaskId) -> StreamingResponse:
    """Server-sent events: how far it is, until its end."""
    await views.one_task(database, task_id)
    return StreamingResponse(_told(task_id), media_type="text/event-stream")


@routes.get("/tasks/{task_id}/video")
async def video(task_id: TaskId) -> StreamingResponse:
    """The dubbed video."""
    found = await views.one_task(database, task_id)
    if found.state != "done":
        raise HTTPException(409, f"The task is {found.state}; its video is there when it is done.")
    return StreamingResponse(objects.parts(found.output_video_key), media_type="video/mp4")


async def _told(task_id: str) -> AsyncIterator[bytes]:
    async for event in dubbing.run(task_id, of=dub).events():
        yield f"event: {type(event).__name__.lower()}\ndata: ".encode() + msgspec.json.encode(event) + b"\n\n"
