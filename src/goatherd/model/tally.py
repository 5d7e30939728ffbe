"""A tally: counters by key, whose totals become jobs."""

import hashlib
from collections.abc import Sequence

import msgspec

from goatherd.errors import DefinitionError, InvalidArguments, Refused
from goatherd.model.job import LONGEST_ID
from goatherd.model.lane import LaneItem

#: Seconds for which the id of an addition is remembered.
REMEMBERED_FOR = 86_400.0
#: What an amount and a total may be, in either direction: what every store and every reader of JSON has exactly.
LARGEST = 2**53 - 1
#: Bytes that a tally's name may take, and a key or the id of an addition.
LONGEST_NAME, LONGEST_KEY = 100, 200

#: Where a total goes to a program elsewhere: the key, whose messages belong together, and the batch's seq, which is
#: greater than those of all before it with that key.
GROUP, GROUP_SEQ = "gh-group", "gh-seq"


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """A key's total, set apart to become one job; there is at most one of a key at a time."""

    key: str
    #: Of the batches of its key; greater than that of every batch before it, also in a store that was emptied.
    seq: int
    total: int


class Sealed(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become jobs now, and when to ask again."""

    #: Oldest first.
    batches: Sequence[Batch] = ()
    #: Seconds until totals may be set apart again; 0 if some of this round still are to be.
    next_due: float = 0.0


def job_id(tally: str, batch: Batch) -> str:
    """The id of the job of a batch, the same whoever makes it."""
    told = f"{tally}:{batch.key}:{batch.seq}"
    if told.isprintable() and len(told.encode()) <= LONGEST_ID:
        return told
    digest = hashlib.blake2b(batch.key.encode(), digest_size=16).hexdigest()
    return f"{tally}:{digest}:{batch.seq}"


def unconditional(item: LaneItem) -> LaneItem:
    """The same job, which its lane takes whatever there is in it or was: otherwise its total would be lost."""
    return msgspec.structs.replace(item, limit=None, delay=0.0, keep_place=False, named=False)


def check_tally_name(name: str) -> None:
    """Raise DefinitionError for a name that stores cannot have."""
    if not name or not name.isprintable() or _size(name) > LONGEST_NAME:
        raise DefinitionError(
            f"A tally has the name {name!r}; use up to {LONGEST_NAME} bytes of printable text, such as 'pending_gift'."
        )


def check_addition(tally: str, key: object, amount: object, id: object) -> None:
    """Raise InvalidArguments, with all that is wrong."""
    problems = {"key": _wrong_text(key, "key"), "amount": _wrong_amount(amount)}
    problems["id"] = "" if id is None else _wrong_text(id, "id")
    if any(problems.values()):
        raise InvalidArguments(f"{tally}.add", {name: told for name, told in problems.items() if told})


def too_large(tally: str, key: str, amount: int) -> Refused:
    """The error for an addition after which a total could not be told exactly."""
    return Refused(
        f"The total of {key!r} in the tally {tally!r} would be larger than {LARGEST:,} with {amount:,} more, so "
        f"nothing was added. Is the tally flushed? `goatherd doctor` tells.",
        limit="tally",
    )


def _wrong_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        return f"it must be text, but it is {value!r}; write str(...)"
    if not value:
        return f"it is empty; say whose {what} it is" if what == "id" else "it is empty; say whose counter it is"
    if _size(value) > LONGEST_KEY or "\0" in value:
        return f"it may have up to {LONGEST_KEY} bytes in UTF-8, and no NUL"
    return ""


def _wrong_amount(amount: object) -> str:
    if isinstance(amount, bool) or not isinstance(amount, int):
        return f"it must be a whole number, but it is {amount!r}; count in the smallest unit, such as cents"
    if abs(amount) > LARGEST:
        return f"it may be up to {LARGEST:,} in either direction, but it is {amount:,}"
    return ""


def _size(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        # Half of a character cannot be stored.
        return LONGEST_KEY + 1
