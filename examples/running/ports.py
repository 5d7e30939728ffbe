"""Ports on which the programs of an example listen."""

import socket
from collections.abc import Mapping


def wanted_port(environment: Mapping[str, str], variable: str) -> str:
    """As it is written, right or wrong: the program that gets it says what is wrong with it. 0 means a free one."""
    wanted = environment.get(variable) or "8000"
    return wanted if wanted != "0" else free_port()


def free_port() -> str:
    """One that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])
