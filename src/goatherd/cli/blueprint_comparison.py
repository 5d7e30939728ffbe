"""In what an app and a file differ, seen from neither side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from goatherd.model.blueprint import BindingSpec, Blueprint, Named, differing
from goatherd.model.broker_arguments import Arguments
from goatherd.model.difference import Kind
from goatherd.model.drift import name_of

Where: TypeAlias = Literal["only in the app", "only in the file", "differs"]


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """One thing that both do not say alike."""

    where: Where
    kind: Kind
    name: str
    #: Each property or argument that differs, with what the app and the file say; None is nothing.
    details: tuple[tuple[str, object, object], ...] = ()

    def plain(self) -> dict[str, Any]:
        """The same as names and values, to be written as JSON."""
        details = [{"field": field, "app": app, "file": file} for field, app, file in self.details]
        return {"where": self.where, "kind": self.kind, "name": self.name, "details": details}


def compare(app: Blueprint, file: Blueprint) -> list[Disagreement]:
    """All of them, by kind and name."""
    return [
        *_named("exchange", app.exchanges, file.exchanges),
        *_named("queue", app.queues, file.queues),
        *_bindings(app.bindings, file.bindings),
        *_named("policy", app.policies, file.policies),
    ]


def _named(kind: Kind, app: Sequence[Named], file: Sequence[Named]) -> Iterator[Disagreement]:
    mine: dict[str, Named] = {each.name: each for each in app}
    theirs: dict[str, Named] = {each.name: each for each in file}
    for name in sorted({*mine, *theirs}):
        if name not in theirs:
            yield Disagreement(where="only in the app", kind=kind, name=name)
        elif name not in mine:
            yield Disagreement(where="only in the file", kind=kind, name=name)
        else:
            found = [each for each in differing(mine[name], theirs[name]) if not _says_no_type(kind, each)]
            if found:
                yield Disagreement(where="differs", kind=kind, name=name, details=tuple(found))


def _says_no_type(kind: Kind, detail: tuple[str, object, object]) -> bool:
    """Who says no type of a queue contradicts nobody who says one."""
    field, *said = detail
    return kind == "queue" and field == "type" and None in said


def _bindings(app: Sequence[BindingSpec], file: Sequence[BindingSpec]) -> Iterator[Disagreement]:
    both = {*app} & {*file}
    for binding in sorted({*app, *file} - both, key=lambda each: (name_of(each), each.key)):
        told = {"key": binding.key, **Arguments(binding.arguments).plain()}
        where: Where = "only in the app" if binding in app else "only in the file"
        details = [(name, value, None) if binding in app else (name, None, value) for name, value in told.items()]
        yield Disagreement(where=where, kind="binding", name=name_of(binding), details=tuple(details))
