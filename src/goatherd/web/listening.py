"""Sockets for those who come to us."""

import errno
import socket

from goatherd.errors import GoatherdError


class CannotListen(GoatherdError):
    """The address cannot be used."""

    def __init__(self, who: str, host: str, port: int, error: OSError, options: str) -> None:
        if error.errno == errno.EADDRINUSE:
            why = f"port {port} is in use; stop what uses it, or choose another with {options}port"
        elif error.errno == errno.EACCES:
            why = f"port {port} needs more rights; choose one above 1023 with {options}port"
        else:
            why = f"{error.strerror or error}; choose another with {options}host"
        super().__init__(f"{who} cannot listen on {host}: {why}.")


def listen_on(host: str, port: int, *, who: str, options: str, backlog: int) -> socket.socket:
    """A socket that takes connections; raises CannotListen, which names the options that would help."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=backlog)
    except OSError as error:
        raise CannotListen(who, host, port, error, options) from error


def shown_address(listening: socket.socket) -> str:
    """Where it listens, as a part of a URL."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
