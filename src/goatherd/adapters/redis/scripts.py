"""The scripts of `lua/`, by name."""

import hashlib
from importlib import resources


class Script:
    """One operation that Redis does in one step."""

    def __init__(self, name: str) -> None:
        path = resources.files("goatherd.adapters.redis") / "lua" / f"{name}.lua"
        self.source = path.read_bytes()
        self.digest = hashlib.sha1(self.source, usedforsecurity=False).hexdigest()


APPEND, READ, KEEP = Script("append"), Script("read"), Script("keep")
JOIN, HOLD, SETTLE, LAG = Script("join"), Script("hold"), Script("settle"), Script("lag")
RELAY = Script("relay")

#: What each port needs.
OF_EVENTS, OF_FEED, OF_RELAY = (APPEND, READ, KEEP), (JOIN, HOLD, SETTLE, LAG), (RELAY,)
