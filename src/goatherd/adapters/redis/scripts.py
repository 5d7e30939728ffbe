"""The scripts of `lua/`, by name."""

import hashlib
from importlib import resources


class Script:
    """One operation that Redis does in one step."""

    def __init__(self, *names: str) -> None:
        """Of one file, or of several one after the other."""
        folder = resources.files("goatherd.adapters.redis") / "lua"
        self.source = b"\n".join((folder / f"{name}.lua").read_bytes() for name in names)
        self.digest = hashlib.sha1(self.source, usedforsecurity=False).hexdigest()


APPEND, READ, KEEP = Script("append"), Script("read"), Script("keep")
JOIN, HOLD, SETTLE, LAG = Script("join"), Script("hold"), Script("settle"), Script("lag")
RELAY = Script("relay")
LANE_ENQUEUE, LANE_EXCHANGE = Script("lane_store", "lane_enqueue"), Script("lane_store", "lane_exchange")
LANE_BEAT, LANE_LETTERS = Script("lane_store", "lane_beat"), Script("lane_store", "lane_letters")
LANE_LOOK, LANE_ORDER = Script("lane_store", "lane_look"), Script("lane_store", "lane_order")
LANE_WAITING = Script("lane_store", "lane_waiting")
TALLY_ADD, TALLY_SEAL, TALLY_POST = Script("tally_add"), Script("tally_seal"), Script("lane_store", "tally_post")
TALLY_DONE, TALLY_LOOK = Script("tally_done"), Script("tally_look")
INBOX_TAKE = Script("inbox_take")

#: What each port needs.
OF_EVENTS, OF_FEED, OF_RELAY = (APPEND, READ, KEEP), (JOIN, HOLD, SETTLE, LAG), (RELAY,)
OF_LANES = (LANE_ENQUEUE, LANE_EXCHANGE, LANE_BEAT, LANE_LETTERS, LANE_LOOK, LANE_ORDER, LANE_WAITING)
OF_TALLIES = (TALLY_ADD, TALLY_SEAL, TALLY_POST, TALLY_DONE, TALLY_LOOK)
