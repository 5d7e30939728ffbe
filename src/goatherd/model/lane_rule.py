"""Which lane a job of a task belongs to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_args

import msgspec

from goatherd.errors import DefinitionError, InvalidArguments
from goatherd.model.json_types import to_plain
from goatherd.model.lane import LONGEST_KEY, OnExhausted
from goatherd.model.signature import Signature


@dataclass(frozen=True, kw_only=True)
class LaneChoice:
    """What a task's decorator said about lanes."""

    key: str | Callable[..., str | int]
    lane: str | None = None
    on_exhausted: OnExhausted = "hold"
    limit: int | None = None


@dataclass(frozen=True, kw_only=True)
class LaneRule:
    """How a task's jobs are put in order."""

    #: What the keys of all its lanes begin with.
    name: str
    choice: LaneChoice
    signature: Signature

    @property
    def on_exhausted(self) -> OnExhausted:
        """What becomes of a lane whose head is given up."""
        return self.choice.on_exhausted

    @property
    def limit(self) -> int | None:
        """How many jobs may be in a lane."""
        return self.choice.limit

    def key_of(self, arguments: Mapping[str, Any]) -> str:
        """The full key of the lane of a job with these arguments, by name; raises InvalidArguments."""
        given = self.choice.key
        if isinstance(given, str):
            value, what = self.signature.argument(arguments, given), given
        else:
            positional, named = self.signature.complete(arguments)
            value, what = given(*positional, **named), f"key={getattr(given, '__name__', given)!r}"
        return f"{self.name}={self._text(value, what)}"

    def _text(self, value: object, what: str) -> str:
        if isinstance(value, Enum):
            # Its name in the program may change, and others know its value only.
            value = value.value
        if not isinstance(value, str | int):
            value = msgspec.to_builtins(value, enc_hook=to_plain)
        if isinstance(value, bool) or not isinstance(value, str | int):
            told = f"it is the job's key, so it must be text or a whole number, but it is {value!r}"
            raise InvalidArguments(self.signature.task, {what: told})
        text = str(value)
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InvalidArguments(self.signature.task, {what: "it is the job's key, which must be text in UTF-8"})
        if len(text.encode()) + len(self.name.encode()) >= LONGEST_KEY or "\0" in text:
            told = f"it is the job's key, which may have up to {LONGEST_KEY} bytes with its lane's name, and no NUL"
            raise InvalidArguments(self.signature.task, {what: told})
        return text


def check_choice(task: str, said: Mapping[str, Any]) -> None:
    """Raise DefinitionError for options about lanes that make no sense."""
    key, lane, policy, limit = (said.get(name) for name in ("key", "lane", "on_exhausted", "lane_limit"))
    if key is None:
        for name in ("lane", "on_exhausted", "lane_limit"):
            if said.get(name) is not None:
                raise DefinitionError(f"Task {task!r} has {name}= but no key=; say which argument its lanes go by.")
        return
    if not (callable(key) or isinstance(key, str)):
        raise DefinitionError(f"Task {task!r} has key={key!r}; give the name of an argument, or a function of them.")
    if said.get("remote"):
        raise DefinitionError(
            f"Task {task!r} has key= and remote=True, but whoever does it elsewhere knows nothing of lanes."
        )
    _check_values(task, policy, limit, lane)


def _check_values(task: str, policy: Any, limit: Any, lane: Any) -> None:
    if policy is not None and policy not in get_args(OnExhausted):
        raise DefinitionError(f"Task {task!r} has on_exhausted={policy!r}; it is 'hold', 'skip' or 'cancel_rest'.")
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise DefinitionError(f"Task {task!r} has lane_limit={limit!r}; it must be 1 or more.")
    named = isinstance(lane, str) and lane and lane.isprintable() and not set(lane) & set("/=")
    if lane is not None and not named:
        raise DefinitionError(f"Task {task!r} has lane={lane!r}; a lane's name is text without / and =.")


def lane_rule(choice: LaneChoice, queue: str, signature: Signature) -> LaneRule:
    """The rule of a task on a queue; raises DefinitionError."""
    key = choice.key
    if isinstance(key, str) and key not in signature.names:
        raise DefinitionError(
            f"Task {signature.task!r} has key={key!r}, but no such argument; it has "
            f"{', '.join(signature.names) or 'none'}."
        )
    if "=" in queue:
        raise DefinitionError(f"Task {signature.task!r} has a key, so its queue {queue!r} cannot have a = in its name.")
    name = choice.lane or f"{queue}/{key if isinstance(key, str) else 'key'}"
    return LaneRule(name=name, choice=choice, signature=signature)
