"""Make ready to listen to a database."""

from goatherd.adapters.firebase.address import read_address
from goatherd.adapters.firebase.source import FirebaseCommands
from goatherd.adapters.firebase.tokens import tokens_for


def open_source(url: str) -> FirebaseCommands:
    """Raises SettingsError or MissingExtra; a database that is away is noticed when it is listened to."""
    address = read_address(url)
    return FirebaseCommands(address, tokens_for(address))
