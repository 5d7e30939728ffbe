"""Settle deliveries of one channel in few frames."""

from itertools import takewhile

from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.wire import ack_frame

NOBODY = object()


class Acks:
    """Gathers acks until the end of the loop's turn and sends those of a whole run as one.

    Only a run without gaps may be acked as one: a frame for many says that everything before is done too.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        #: Deliveries that are not settled, oldest first, each with the consumer that it came to.
        self._held: dict[int, object] = {}
        self._done: list[int] = []

    def hold(self, tag: int, owner: object) -> None:
        """A delivery has come to one of the channel's consumers."""
        self._held[tag] = owner

    def held_by(self, owner: object) -> int:
        """How many deliveries of a consumer are not settled."""
        return sum(each is owner for each in self._held.values())

    @property
    def holds_any(self) -> bool:
        """Whether any delivery is not settled."""
        return bool(self._held)

    @property
    def oldest_owner(self) -> object | None:
        """Whose delivery has waited longest to be settled; None if all are."""
        return next(iter(self._held.values()), None)

    def forget(self, tag: int) -> None:
        """It was settled in another way."""
        self._held.pop(tag, None)

    def ack(self, tag: int) -> bool:
        """It is done; true if the caller must arrange for `flush`."""
        self._done.append(tag)
        return len(self._done) == 1

    def flush(self) -> None:
        """Send what has gathered."""
        done, self._done = set(self._done), []
        number = self._channel.number
        frames = []
        run = self._whole_run(done)
        if run:
            frames.append(ack_frame(number, run[-1], multiple=True))
            done.difference_update(run)
        frames += [ack_frame(number, tag) for tag in sorted(done) if self._held.pop(tag, NOBODY) is not NOBODY]
        if frames and self._channel.failed is None:
            self._channel.send(b"".join(frames))

    def _whole_run(self, done: set[int]) -> list[int]:
        """The oldest deliveries that are all done, no longer held."""
        run = list(takewhile(done.__contains__, self._held))
        for tag in run:
            del self._held[tag]
        return run
