"""Dead letters that this process was told of, so that its hooks need not look for them among all the others."""

from collections import OrderedDict

from goatherd.model.dead_letter import StoredLetter

#: Letters that are remembered; one that is forgotten is looked for in the queue.
MOST = 256


class Announced:
    """The latest letters by id.

    An announcement is a copy of the whole letter. Walking through the queue for each would take longer the more letters
    there are, and only one process can walk at a time.
    """

    def __init__(self) -> None:
        self._letters: OrderedDict[str, StoredLetter] = OrderedDict()

    def add(self, letter: StoredLetter) -> None:
        """Remember one, and forget the oldest if there are too many."""
        self._letters[letter.id] = letter
        self._letters.move_to_end(letter.id)
        if len(self._letters) > MOST:
            self._letters.popitem(last=False)

    def get(self, letter_id: str) -> StoredLetter | None:
        """The letter, if it was announced lately."""
        return self._letters.get(letter_id)

    def forget(self, letter_id: str) -> None:
        """It was replayed or discarded."""
        self._letters.pop(letter_id, None)
