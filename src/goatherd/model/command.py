"""A command: something that another program put where we look for it, to be done once."""

import hashlib
from uuid import UUID, uuid5

import msgspec

from goatherd.model.envelope import BROKEN

#: What the ids of commands' jobs are made from, with the inbox and the key.
_COMMANDS = UUID("5b8f0a51-6f0d-5d0c-9b51-0e5a86a1c2d7")
#: Stands between a key and what tells apart two commands that were given under it; no source has it in its keys.
APART = "#"


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command as its source has it."""

    #: What its source knows it by; never used for another command, and without `#`.
    key: str
    #: JSON; whatever was written there, also what is no command at all.
    body: bytes

    @property
    def digest(self) -> str:
        """The same for the same JSON, however it is written."""
        try:
            plain = msgspec.json.encode(msgspec.json.decode(self.body), order="sorted")
        except BROKEN:
            plain = self.body
        return hashlib.sha256(plain).hexdigest()[:32]

    def apart(self) -> "Command":
        """The same as one of its own, where another one was given under its key."""
        return Command(key=f"{self.key}{APART}{self.digest}", body=self.body)


class StoredCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command that is on record."""

    key: str
    #: Empty when it is sent.
    body: bytes
    #: Of the body that was stored first.
    digest: str
    #: Whether its job is sent.
    sent: bool
    #: Whether it is known to be gone from its source.
    removed: bool
    #: Whether it is for whoever asked to finish it now; else another process has it in hand, or it is finished.
    ours: bool


def source_key(key: str) -> str:
    """What the source knows it by."""
    return key.partition(APART)[0]


def job_id_of(inbox: str, key: str) -> str:
    """The id of a command's job: the same in every process, and however often it is sent."""
    return str(uuid5(_COMMANDS, f"{inbox}\n{key}"))
