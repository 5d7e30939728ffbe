"""Questions to the AI service."""

import json
from collections.abc import Mapping
from typing import Any

from flask import Blueprint

from examples.kitchen.main.answers import Answer, told
from examples.kitchen.main.herd import ask_ai
from examples.kitchen.main.messages import Analysis
from examples.kitchen.main.reading import ImageInput, RecipeInput, read_body

routes = Blueprint("ai", __name__, url_prefix="/api/ai")

#: What each reason means to an HTTP client; one that is not here is a fault behind us.
STATUSES: Mapping[str, int] = {
    "bad_request": 400,
    "too_large": 413,
    "picture_missing": 422,
    "picture_denied": 422,
    "not_a_picture": 422,
    "rate_limited": 503,
    "timed_out": 504,
}


@routes.post("/analyze-recipe")
def analyze_recipe() -> Answer:
    """What a recipe's text holds."""
    return _answer(ask_ai.call(read_body(RecipeInput).recipe))


@routes.post("/analyze-image")
def analyze_image() -> Answer:
    """What a picture and its description hold."""
    asked = read_body(ImageInput)
    # By contract the text of such a request is itself JSON.
    return _answer(ask_ai.call(json.dumps({"s3_url": asked.s3_url, "description": asked.description})))


def _answer(analysis: Analysis) -> Answer:
    if analysis.success:
        return told({"success": True, "result": analysis.result})
    error: dict[str, Any] = analysis.error or {"message": "The AI service did not say why it has no result."}
    wait = error.get("retry_after")
    return told(
        {"success": False, "error": error},
        STATUSES.get(str(error.get("code")), 502),
        retry_after=float(wait) if isinstance(wait, int | float) else None,
    )
