"""Wake the workers and watchers of other processes when something was committed for them.

A ring is a datagram to the other's socket, empty or with a few bytes. It may be lost without harm: everybody also
looks for himself now and then.
"""

import hashlib
import socket
import tempfile
from collections.abc import Iterable
from pathlib import Path

#: The kernel's limit for the path of a socket is 108 bytes with its end mark.
_LONGEST_PATH = 100
#: Bytes that a ring may say.
LONGEST_MESSAGE = 64


def address_for(folder: Path, name: str) -> str:
    """Where a worker's bell hangs: beside its file, or in the temporary folder when that path is too long."""
    beside = str(folder / f"{name}.bell")
    if len(beside.encode()) <= _LONGEST_PATH:
        return beside
    place = hashlib.blake2b(beside.encode(), digest_size=8).hexdigest()
    return f"{tempfile.gettempdir()}/goatherd-{place}.bell"


class Doorbell:
    """The bell of one worker."""

    def __init__(self, address: str) -> None:
        self._address = address
        Path(address).unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(address)
        except OSError:
            self._socket.close()
            raise

    def fileno(self) -> int:
        """For the event loop to watch."""
        return self._socket.fileno()

    def silence(self) -> None:
        """Forget the rings so far."""
        try:
            while True:
                self._socket.recv(1)
        except BlockingIOError:
            return

    def heard(self) -> list[bytes]:
        """What the rings since the last look said."""
        messages: list[bytes] = []
        try:
            while True:
                messages.append(self._socket.recv(LONGEST_MESSAGE))
        except BlockingIOError:
            return messages

    def close(self) -> None:
        """Take the bell down."""
        self.let_go()
        Path(self._address).unlink(missing_ok=True)

    def let_go(self) -> None:
        """Leave the bell where it hangs, as the kernel does when a process dies."""
        self._socket.close()


class Ringer:
    """Rings the bells of others."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def ring(self, addresses: Iterable[str], message: bytes = b"") -> None:
        """Ring each bell once; a bell that is gone is passed over."""
        for address in addresses:
            try:
                self._socket.sendto(message, address)
            except OSError:
                # Gone, or so many rings wait there already that one more says nothing new.
                continue

    def close(self) -> None:
        """Ring no more."""
        self._socket.close()
