"""Services that answer on a shared queue: which job an answer belongs to, and which one is the last."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from goatherd.errors import DefinitionError
from goatherd.model.envelope import BROKEN, Unparsable


class AnswerRule(msgspec.Struct, frozen=True, kw_only=True):
    """How the answers of one service are read."""

    #: The queue on which they come.
    queue: str
    #: The member of the body that holds the job's id; filled in when sending.
    match: str
    #: What the last answer's members are, one of the values each; nothing means that the first is the last.
    until: Mapping[str, Collection[str]] = {}

    def job_of(self, body: bytes) -> tuple[str, bool]:
        """The job that an answer belongs to, and whether it is the last one; raises Unparsable."""
        members = members_of(body)
        job_id = members.get(self.match)
        if not isinstance(job_id, str) or not job_id:
            raise Unparsable(f"an answer without {self.match!r}, so nobody knows which job it belongs to")
        return job_id, all(members.get(name) in values for name, values in self.until.items())


def rule_for(
    queue: str, answers_on: str | None, match: str | None, until: Mapping[str, Any] | None
) -> AnswerRule | None:
    """What a queue's description says about answers; raises DefinitionError."""
    if answers_on is None:
        if match is not None or until is not None:
            raise DefinitionError(
                f"The queue {queue!r} has match= or until=, which say how to read answers_on=; add it."
            )
        return None
    if match is None:
        raise DefinitionError(
            f"The queue {queue!r} has answers_on={answers_on!r}, but not match=: the member of an answer that holds "
            f"the job's id."
        )
    for name, values in (until or {}).items():
        if isinstance(values, str) or not values:
            raise DefinitionError(f"The queue {queue!r} has until={{{name!r}: {values!r}}}; give a list of values.")
    return AnswerRule(queue=answers_on, match=match, until=until or {})


def members_of(body: bytes) -> Mapping[str, Any]:
    """A JSON object; raises Unparsable."""
    try:
        members = msgspec.json.decode(body, type=dict[str, Any])
    except BROKEN as error:
        raise Unparsable(f"an answer that is no JSON object: {error}") from error
    return members
