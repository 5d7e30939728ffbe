"""What goes wrong on a link, as exceptions of the adapter, and in our words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goatherd.errors import GoatherdError, SettingsError, Unavailable

if TYPE_CHECKING:
    from goatherd.adapters.rabbitmq.address import Address

_TOOK_BACK = re.compile(r"acknowledgement on channel \d+ timed out(?:\. Timeout value used: (?P<limit>\d+) ms)?")


class LinkFailed(Exception):
    """The connection, or one of its channels, cannot be used any more."""


class ProtocolBroken(LinkFailed):
    """The peer does not speak AMQP 0-9-1, or bytes were damaged."""


class LinkLost(LinkFailed):
    """The connection was lost; what was under way on it has an unknown outcome."""


class ChannelClosed(LinkFailed):
    """The broker closed a channel because of what was asked on it."""

    def __init__(self, code: int, text: str, method: tuple[int, int] = (0, 0)) -> None:
        self.code = code
        self.text = text
        #: Class and method of what was asked; zeros if nothing was.
        self.method = method
        super().__init__(f"{code} {text}")

    @property
    def took_back(self) -> bool:
        """Whether it was closed because a delivery on it was not settled in time."""
        return _TOOK_BACK.search(self.text) is not None


class TlsFailed(LinkFailed):
    """No secure connection came about: one side does not trust the other, or does not speak TLS."""


class ConnectionRefused(LinkFailed):
    """The broker answered, but does not let us in: wrong password, no such virtual host, no permission."""

    def __init__(self, code: int, text: str) -> None:
        self.code = code
        self.text = text
        super().__init__(f"{code} {text}")


def in_our_words(failure: LinkFailed, address: Address) -> GoatherdError:
    """The error to raise instead, for the failure to be the cause of."""
    if isinstance(failure, ConnectionRefused):
        return SettingsError([_refusal(failure, address)])
    if isinstance(failure, TlsFailed):
        return SettingsError([_mistrust(failure, address)])
    if isinstance(failure, ProtocolBroken):
        return SettingsError([f"What answers at {address} is not a RabbitMQ broker: {failure}. Check host and port."])
    if isinstance(failure, ChannelClosed):
        return Unavailable(
            f"The broker at {address} refused what was asked of it: {failure}. Check what the user {address.user!r} "
            f"may do there (`rabbitmqctl list_permissions`)."
        )
    return Unavailable(
        f"The broker at {address} cannot be reached ({failure}). Check that it runs and that host and port in "
        f"GOATHERD_BROKER_URL are right; then try again."
    )


def _refusal(failure: ConnectionRefused, address: Address) -> str:
    if failure.code == 403 or "ACCESS_REFUSED" in failure.text:
        return (
            f"The broker at {address} refused the user {address.user!r}: the password is wrong, or the user may not "
            f"use this virtual host. Check user and password in GOATHERD_BROKER_URL."
        )
    if failure.code == 530:
        return (
            f"The broker at {address} has no virtual host {address.virtual_host!r}, or {address.user!r} may not use "
            f"it. Make it with `rabbitmqctl add_vhost` or write another one at the end of GOATHERD_BROKER_URL."
        )
    return f"The broker at {address} refused the connection: {failure}. Check GOATHERD_BROKER_URL."


def _mistrust(failure: TlsFailed, address: Address) -> str:
    told = str(failure)
    if "WRONG_VERSION_NUMBER" in told:
        return (
            f"What answers at {address} does not speak TLS ({told}). Check the port; if it has no TLS, write amqp:// "
            f"instead of amqps:// in GOATHERD_BROKER_URL."
        )
    if "_ALERT_" in told:
        return (
            f"The broker at {address} does not accept this program's certificate ({told}). Name one that it trusts, "
            f"and its key, with certfile= and keyfile= in GOATHERD_BROKER_URL."
        )
    return (
        f"The certificate of the broker at {address} is not trusted ({told}). Name its authority with cafile= in "
        f"GOATHERD_BROKER_URL, and use a host name that the certificate is made for."
    )


def why_channel_closed(error: ChannelClosed) -> str:
    """Why the broker ended a consumer, in plain words."""
    found = _TOOK_BACK.search(error.text)
    if found is None:
        return str(error)
    limit = f"of {int(found['limit']) / 1000:g} s " if found["limit"] else ""
    return (
        f"a job ran longer than the broker's consumer_timeout {limit}allows, so the broker took back all that this "
        f"process held and delivers it again; give the task a shorter timeout=, or raise consumer_timeout in "
        f"rabbitmq.conf"
    )
