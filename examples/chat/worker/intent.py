"""What a message is, by simple rules."""

import re
from typing import Literal, TypeAlias

from examples.chat.worker.library import keywords

Intent: TypeAlias = Literal["greeting", "question", "picture"]
_GREETING = re.compile(r"(hello|hi|hey|good (morning|day|evening)|thanks|thank you)\b", re.IGNORECASE)


def intent_of(message: str, image_url: str | None) -> Intent:
    """A picture is about itself; a greeting asks for nothing."""
    if image_url is not None:
        return "picture"
    greets = _GREETING.match(message.strip()) is not None
    return "greeting" if greets and len(keywords(message)) <= 1 else "question"
