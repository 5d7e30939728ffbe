"""A shorter way to a client's socket, where the server is our own.

What ASGI asks of a server for each piece of a response, a coroutine and a few checks, costs as much as the piece
itself when thousands of clients get the same few bytes. So our own server lets a stream see its connection, and as long
as that can take more, pieces that were made once for all are written to it as they are. The head, the end and whatever
has to wait go the usual way.
"""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from goatherd.web.asgi import LINE


class ShortcutProtocol(HttpToolsProtocol):
    """uvicorn's own, which lets streams see it; satisfies `Line`."""

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self.scope["extensions"] = {LINE: self}  # type: ignore[dict-item]  # an extension of ours

    def offer(self, piece: bytes) -> bool:
        """See `Line`."""
        if self.flow.write_paused or self.transport.is_closing():
            return False
        self.transport.write(piece)
        return True
