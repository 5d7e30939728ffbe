"""Settle deliveries of one channel in few frames."""

from itertools import takewhile

from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.wire import ack_frame


class Acks:
    """Gathers acks until the end of the loop's turn and sends those of a whole run as one.

    Only a run without gaps may be acked as one: a frame for many says that everything before is done too.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        #: Deliveries that are not settled, oldest first.
        self._held: dict[int, int] = {}
        self._done: list[int] = []

    def hold(self, tag: int) -> None:
        """A delivery has come."""
        self._held[tag] = tag

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
        frames += [ack_frame(number, tag) for tag in sorted(done) if self._held.pop(tag, None) is not None]
        if frames and self._channel.failed is None:
            self._channel.send(b"".join(frames))

    def _whole_run(self, done: set[int]) -> list[int]:
        """The oldest deliveries that are all done, no longer held."""
        run = list(takewhile(done.__contains__, self._held))
        for tag in run:
            del self._held[tag]
        return run
