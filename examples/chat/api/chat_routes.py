"""Ask, look back, stop."""

import time
from uuid import uuid4

from fastapi import APIRouter, HTTPException, Request

from examples.chat.api.answers import settled
from examples.chat.api.bodies import Accepted, ChatId, Conversation, Exchange, JobId, Message
from examples.chat.api.history import History
from examples.chat.herd import chat, settings
from examples.chat.worker.service import process

routes = APIRouter(prefix="/api/v1/chat/{chat_id}/messages")


@routes.post("", status_code=202)
async def ask(chat_id: ChatId, asked: Message, request: Request) -> Accepted:
    """Accept a message; its answer is written by a worker, and watched at the gateway."""
    job_id = str(uuid4())
    location = None if asked.user_location is None else asked.user_location.model_dump()
    await process.options(id=job_id).start(
        job_id=job_id,
        session_id=chat_id,
        message=asked.message,
        user_id=asked.user_id,
        image_url=asked.image_url,
        user_location=location,
        model=asked.model,
    )
    await _history(request).note(job_id, chat_id, time.time(), asked.message)
    return _stream(chat_id, job_id)


@routes.get("")
async def look_back(chat_id: ChatId, request: Request) -> Conversation:
    """All messages of a chat with their answers as far as they are; whoever knows a chat's id may read it."""
    history = _history(request)
    messages = [await settled(history, noted) for noted in await history.of_chat(chat_id)]
    return Conversation(
        messages=[
            Exchange(
                job_id=one.job_id,
                asked_at=one.asked_at,
                message=one.message,
                status=one.status,
                answer=one.answer,
                sources=list(one.sources),
                provider=one.provider,
                error=one.error,
                stream=_stream(chat_id, one.job_id) if one.is_open else None,
            )
            for one in messages
        ]
    )


@routes.post("/{job_id}/cancel")
async def cancel(chat_id: ChatId, job_id: JobId, request: Request) -> dict[str, bool]:
    """Stop an answer; false if it had ended."""
    if not await _history(request).has(chat_id, job_id):
        raise HTTPException(404, f"Chat {chat_id} has no message {job_id}.")
    return {"cancelled": await chat.run(job_id, of=process).cancel()}


def _stream(chat_id: str, job_id: str) -> Accepted:
    return Accepted(
        job_id=job_id,
        stream_url=f"{settings.gateway_url or ''}/api/v1/chat/{job_id}/events",
        stream_token=chat.run(job_id).stream_token(chat_id),
        cancel_url=f"/api/v1/chat/{chat_id}/messages/{job_id}/cancel",
    )


def _history(request: Request) -> History:
    history: History = request.app.state.history
    return history
