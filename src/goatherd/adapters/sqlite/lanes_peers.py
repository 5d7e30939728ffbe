"""The last call of each sender and worker, so that one that is repeated gets the same answer and changes nothing."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import apsw
import msgspec

from goatherd.adapters.sqlite.queries import rows, run
from goatherd.errors import Unavailable
from goatherd.model.lane import Hold, Placement

Answer = TypeVar("Answer")

#: Seconds of silence after which a peer is forgotten.
PEER_SILENCE = 600.0
#: Peers that are forgotten in one step.
FORGOTTEN_AT_ONCE = 100

_encode = msgspec.msgpack.Encoder().encode


class Moment(Protocol):
    """Within which transaction it is, and when."""

    @property
    def connection(self) -> apsw.Connection: ...
    @property
    def now(self) -> float: ...


class Given(msgspec.Struct, frozen=True, array_like=True):
    """What a worker was answered; the jobs themselves are in their lanes."""

    settled: Sequence[bool]
    holds: Sequence[Hold]


decode_placements = msgspec.msgpack.Decoder(list[Placement]).decode
decode_given = msgspec.msgpack.Decoder(Given).decode


def once(step: Moment, peer: str, number: int, decode: Callable[[bytes], Answer], act: Callable[[], Answer]) -> Answer:
    """Do it, unless it was done under this number before; tells what came of it then or now."""
    known = rows(step.connection, "last_call", (peer,))
    if known and number == known[0][0]:
        return decode(known[0][1])
    if known and number < known[0][0]:
        raise Unavailable(
            f"The call number {number} of {peer} came after its call number {known[0][0]} and was not carried out; "
            f"calls of one peer are made one after the other, and peers need names of their own."
        )
    answer = act()
    run(step.connection, "note_call", (peer, number, _encode(answer), step.now))
    run(step.connection, "forget_peers", (step.now - PEER_SILENCE, FORGOTTEN_AT_ONCE))
    return answer
