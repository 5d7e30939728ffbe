"""What the scripts of a page are told beside an answer."""

import json
from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True)
class Toast:
    """A few words that are shown for a moment."""

    kind: Literal["good", "bad", "plain"]
    text: str


def trigger(**events: Toast | bool) -> dict[str, str]:
    """The header that makes events in the page."""
    told = {name: asdict(value) if isinstance(value, Toast) else value for name, value in events.items()}
    return {"HX-Trigger": json.dumps(told, ensure_ascii=True)}
