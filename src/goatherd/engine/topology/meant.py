"""Which differences are meant by somebody who names queues, exchanges and policies."""

from collections.abc import Collection, Sequence

from goatherd.model.difference import Difference


def meant_by(only: Collection[str], differences: Sequence[Difference]) -> list[Difference]:
    """Those that are about one of the names; all if there are none.

    A way is about both its ends, and can be opened only when both are there, or are made before it.
    """
    if not only:
        return list(differences)
    named = [each for each in differences if not names_of(each).isdisjoint(only)]
    missing = {(each.kind, each.name) for each in differences if each.change == "create" and each not in named}
    return [each for each in named if each.change != "bind" or _ends(each).isdisjoint(missing)]


def names_of(difference: Difference) -> set[str]:
    """What it is about."""
    binding = difference.binding
    return {difference.name} if binding is None else {binding.source, binding.destination}


def _ends(difference: Difference) -> set[tuple[str, str]]:
    binding = difference.binding
    assert binding is not None, "it is a way"
    return {("exchange", binding.source), (binding.destination_type, binding.destination)}
