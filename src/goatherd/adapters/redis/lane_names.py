"""What things of lanes are called on the server."""

import msgspec

#: What is kept of all lanes of an app, in the order in which the scripts take it; see `lua/lane_store.lua`.
PARTS = ("lanes", "jobs", "ready", "timers", "held", "later", "delayed", "letters", "mark")


class LaneNames(msgspec.Struct, frozen=True):
    """The keys and the channel of one app; what stands in braces puts all of them on one server of a cluster."""

    app: str

    @property
    def all(self) -> tuple[str, ...]:
        """What every script takes."""
        return tuple(self._name(part) for part in PARTS)

    @property
    def channel(self) -> str:
        """Where workers are called with the name of a queue."""
        return self._name("wake")

    def sender(self, name: str, part: int = 0) -> str:
        """The answer to a part of a sender's last call."""
        return self._name(f"sender:{name}:{part}")

    def worker(self, name: str) -> str:
        """A worker's last exchange."""
        return self._name(f"worker:{name}")

    def order(self, order_id: str) -> str:
        """The answer to an operator's order."""
        return self._name(f"order:{order_id}")

    def known(self, job_id: str) -> str:
        """Whether a job of that id was taken."""
        return self._name(f"id:{job_id}")

    def _name(self, what: str) -> str:
        return f"{{{self.app}}}:lanes:1:{what}"
