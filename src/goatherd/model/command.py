"""A command: something that another program put where we look for it, to be done once."""

import msgspec


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command as its source has it."""

    #: What its source knows it by; never used for another command.
    key: str
    #: JSON; whatever was written there, also what is no command at all.
    body: bytes


class StoredCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that is on record."""

    key: str
    body: bytes
    #: Whether its job is sent.
    sent: bool
    #: Whether it is known to be gone from its source.
    removed: bool
