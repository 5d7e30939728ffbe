"""A tally with verbs that wait."""

from goatherd.errors import Unavailable
from goatherd.model.tally import check_addition
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.tally import Tally


class BlockingTally:
    """What `blocking(tally)` gives."""

    __slots__ = ("_tally",)

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def __repr__(self) -> str:
        return f"blocking({self._tally!r})"

    def add(self, key: str, amount: int, *, id: str | None = None) -> None:
        """Add to a key's counter; an id seen before is not added again. Durable when it returns."""
        tally, app = self._tally, self._tally.app
        # Here and not on the I/O thread: a mistake is the caller's.
        check_addition(tally.name, key, amount, id)
        errand = Errand(f"{tally.name}.add", app, lambda: tally.add(key, amount, id=id))

        def unanswered(why: str) -> Unavailable:
            if not errand.started:
                return Unavailable(f"{why} Nothing was added.")
            told = "one without an id= may be counted twice then" if id is None else "its id= is counted once"
            return Unavailable(f"{why} It is not known whether it was counted. If you try again: {told}.")

        ask(errand, 2 * app.settings.publish_deadline, unanswered)
