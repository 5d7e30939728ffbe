"""Make a connection that is ready for use, and let go of one whatever state it is in."""

import os
import socket
from typing import Any, TypeAlias

import psycopg

from goatherd.adapters.postgres.address import Address

Connection: TypeAlias = psycopg.AsyncConnection[tuple[Any, ...]]


async def connected(address: Address, name: str, deadline: float, planning: str = "") -> Connection:
    """An open connection, on which every statement is a transaction and has a deadline; raises the driver's error.

    `planning` are more options for the server, such as `-c enable_seqscan=off`.
    """
    # The server gives up a little earlier than we do, so that it can say why. Nor does it wait for one that was frozen
    # in the middle of a transaction, and keeps others out meanwhile.
    limits = f"-c statement_timeout={max(1, round(deadline * 900))}"
    limits += f" -c idle_in_transaction_session_timeout={max(1, round(deadline * 1000))}"
    options = f"{limits} -c jit=off -c search_path=pg_catalog {planning}"
    parameters: dict[str, Any] = {
        **address.parameters,
        "application_name": f"{address.parameters['application_name']} {name}",
        "options": options,
        # Whatever the environment says: what we write is not to be lost in another.
        "client_encoding": "UTF8",
        "connect_timeout": max(1, round(address.connection_timeout)),
        # A peer that vanished without a word is noticed also where nothing is sent.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
    }
    return await psycopg.AsyncConnection.connect(**parameters, autocommit=True)


def sever(connection: Connection) -> None:
    """Cut it: whoever waits for an answer on it gets an error at once, even if the server is frozen."""
    if connection.closed:
        return
    with socket.socket(fileno=os.dup(connection.pgconn.socket)) as line:
        try:
            line.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It was cut already.
            return


async def close(connection: Connection) -> None:
    """Let go of it; it takes no time, for there is nothing to say good-bye to."""
    await connection.close()
