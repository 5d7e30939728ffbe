"""What a language model is told."""

from typing import Any

from examples.chat.worker.providers.provider import Question

SYSTEM = (
    "You answer questions about the documents below, briefly and in Markdown. "
    "If they do not hold the answer, say so. Name the documents that you used."
)


def about(question: Question) -> list[dict[str, Any]]:
    """The question with all that is known."""
    told = [SYSTEM]
    told += [f"## {one.title} ({one.source})\n{one.text}\n{one.code}" for one in question.passages]
    if question.picture:
        told.append(f"The user sent a picture. It shows: {question.picture}")
    if question.location:
        told.append(f"The user is at {question.location}.")
    return [{"role": "system", "content": "\n\n".join(told)}, {"role": "user", "content": question.message}]


def about_picture(image_url: str) -> list[dict[str, Any]]:
    """What is in a picture."""
    asked = {"type": "text", "text": "Say in one sentence what this picture shows."}
    return [{"role": "user", "content": [asked, {"type": "image_url", "image_url": {"url": image_url}}]}]
