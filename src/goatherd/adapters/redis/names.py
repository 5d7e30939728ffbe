"""What things are called on the server; other programs read some of them."""

import zlib

import msgspec

#: The last position that was relayed to the watchers of a job; without a prefix, for it is on the live server.
PUBLISHED = "router:published:"


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """The keys and channels of one app."""

    prefix: str
    live_prefix: str
    shards: int

    def of_job(self, job: str) -> tuple[str, ...]:
        """Its state, its log and its text."""
        prefix = self.prefix
        return f"{prefix}:state:{job}", f"{prefix}:log:{job}", f"{prefix}:token_state:{job}"

    def fed_by(self, job: str) -> tuple[str, ...]:
        """Where routers hear of its events, and what counts those that they never heard of."""
        return self.shard(zlib.crc32(job.encode()) % self.shards), self.dropped

    def channel(self, job: str) -> str:
        """Where its watchers are called."""
        return f"{self.live_prefix}:{job}"

    def shard(self, number: int) -> str:
        """One of the streams of all jobs' events."""
        return f"{self.prefix}:events:{number}"

    @property
    def all_shards(self) -> tuple[str, ...]:
        """Every one of them."""
        return tuple(self.shard(number) for number in range(self.shards))

    @property
    def dropped(self) -> str:
        """How many events were dropped before a router had settled them."""
        return f"{self.prefix}:events:dropped"

    @property
    def routers(self) -> tuple[str, str]:
        """Which routers live, and who holds which shard."""
        return f"{self.prefix}:routers", f"{self.prefix}:router:shards"

    @property
    def dead(self) -> str:
        """The stream of jobs that failed."""
        return f"{self.prefix}:dlq"
