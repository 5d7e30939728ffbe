"""What was read from a file: a blueprint for each virtual host, and what was passed over."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec, PolicySpec, QueueSpec

Piece: TypeAlias = ExchangeSpec | QueueSpec | BindingSpec | PolicySpec


@dataclass(frozen=True, kw_only=True)
class Imported:
    """By the name of the virtual host."""

    blueprints: Mapping[str, Blueprint]
    #: What the file says that a blueprint cannot hold, for people to read.
    notes: tuple[str, ...] = ()

    def of(self, vhost: str) -> Blueprint:
        """One virtual host; an empty blueprint if the file says nothing about it."""
        return self.blueprints.get(vhost, Blueprint(vhost=vhost))

    def only(self, where: str) -> Blueprint:
        """The single one that the file is about; raises DefinitionError if it is about several."""
        if len(self.blueprints) > 1:
            names = ", ".join(repr(name) for name in sorted(self.blueprints))
            raise DefinitionError(f"{where} is about several virtual hosts: {names}. Say which one is meant.")
        return next(iter(self.blueprints.values()), Blueprint())


class Collected:
    """Fills an Imported piece by piece, and knows where each piece stands."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[Piece]] = {}
        #: By virtual host, kind and name; bindings have no names and cannot contradict each other.
        self._first: dict[tuple[str, type[Piece], str], tuple[Piece, str]] = {}
        self._notes: list[str] = []

    def have(self, vhost: str) -> None:
        """The file is about this virtual host, even if nothing else follows."""
        self._pieces.setdefault(vhost, [])

    def add(self, vhost: str, piece: Piece, where: str) -> None:
        """One more; raises DefinitionError naming both places if it was described otherwise before."""
        if not isinstance(piece, BindingSpec):
            first, place = self._first.setdefault((vhost, type(piece), piece.name), (piece, where))
            _blueprint(vhost, [first]).merged(_blueprint(vhost, [piece]), here=place, there=where)
        self._pieces.setdefault(vhost, []).append(piece)

    def note(self, notes: Iterable[str]) -> None:
        """Say what was passed over."""
        self._notes += notes

    def all(self) -> Imported:
        """What was collected."""
        found = {vhost: _blueprint(vhost, pieces) for vhost, pieces in self._pieces.items()}
        return Imported(blueprints=found, notes=tuple(self._notes))


def _blueprint(vhost: str, pieces: Sequence[Piece]) -> Blueprint:
    return Blueprint(
        vhost=vhost,
        exchanges=tuple(each for each in pieces if isinstance(each, ExchangeSpec)),
        queues=tuple(each for each in pieces if isinstance(each, QueueSpec)),
        bindings=tuple(each for each in pieces if isinstance(each, BindingSpec)),
        policies=tuple(each for each in pieces if isinstance(each, PolicySpec)),
    )
