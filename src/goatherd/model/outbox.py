"""A job that waits in the user's own database until the transaction that wrote it is committed."""

import zlib

import msgspec

from goatherd.model.message import LANE, Message

#: Into how many parts lanes are divided, each of which is emptied by one relay at a time. It is written into rows, so
#: that another number here would let two relays of different versions have a lane at once.
SHARDS = 16

_encode = msgspec.msgpack.Encoder(enc_hook=dict).encode


class OutboxJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job on its way out."""

    message: Message
    #: Whether events are written for it, of which `queued` is the first.
    tracked: bool = False
    #: Whether it is in its lane already, and only has to be noted as one that waits.
    placed: bool = False
    #: Whether a delayed job holds its lane until it is due.
    keep_place: bool = False

    @property
    def shard(self) -> int | None:
        """The part of the lanes that it belongs to; None if it may leave beside all others."""
        lane = self.message.headers.get(LANE)
        if self.placed or not isinstance(lane, str):
            return None
        return zlib.crc32(lane.encode()) % SHARDS


class OutboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """A job as the outbox keeps it."""

    #: Greater than those of all rows that were committed before it was written.
    place: int
    job: OutboxJob


def packed(job: OutboxJob) -> bytes:
    """A job as its row has it."""
    return _encode(job)


unpacked = msgspec.msgpack.Decoder(OutboxJob).decode
