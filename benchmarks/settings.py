"""Which contenders meet in which setting. A new one is a file in the setting's folder and its name here."""

import importlib
from dataclasses import dataclass

from benchmarks.contender import Contender


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One contender by name, not imported yet: its library is loaded only in the processes that use it."""

    setting: str
    name: str

    @property
    def ours(self) -> bool:
        """Whether it is Goatherd, which is compared with the others."""
        return self.name.startswith("goatherd")

    def load(self) -> Contender:
        """Import it."""
        found: Contender = importlib.import_module(f"benchmarks.{self.setting}.{self.name}").CONTENDER
        return found


SETTINGS: dict[str, tuple[str, ...]] = {
    "sqlite": (
        "goatherd",
        "goatherd_def",
        "goatherd_full",
        "huey_fsync",
        "huey_nosync",
        "persistqueue_ack",
        "persistqueue_fifo",
        "persistqueue_by_hand",
    ),
}

ENTRIES = tuple(Entry(setting=setting, name=name) for setting, names in SETTINGS.items() for name in names)


def chosen(only: tuple[str, ...]) -> list[Entry]:
    """The entries that the words name; all for no words. Raises ValueError for a word that names none."""
    if not only:
        return list(ENTRIES)
    picked = {entry for word in only for entry in _named(word)}
    return [entry for entry in ENTRIES if entry in picked]


def _named(word: str) -> list[Entry]:
    """The entry of that name, else those whose name, or setting and name, begins so."""
    names = {entry: (entry.name, f"{entry.setting}/{entry.name}") for entry in ENTRIES}
    exact = [entry for entry in ENTRIES if word in names[entry]]
    found = exact or [entry for entry in ENTRIES if any(name.startswith(word) for name in names[entry])]
    if not found:
        known = ", ".join(f"{entry.setting}/{entry.name}" for entry in ENTRIES)
        raise ValueError(f"No contender's name begins with {word}; there are {known}.")
    return found
