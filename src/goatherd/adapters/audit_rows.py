"""What operators did, as the values of rows and back."""

from collections.abc import Sequence
from typing import Any

from goatherd.model.audit import AuditEntry, AuditFilter, AuditPlace


def values_of(entry: AuditEntry) -> tuple[Any, ...]:
    """In the order of the tables, with what is searched at the end."""
    texts = entry.who, entry.role, entry.address, entry.action, entry.target
    who, role, address, action, target = map(_kept, texts)
    outcome = _kept(entry.outcome)
    words = searched("\n".join((who, action, target, entry.details.decode(errors="replace"), outcome)))
    return _kept(entry.id), entry.at, who, role, address, action, target, entry.details, outcome, words


def entry_in(values: Sequence[Any]) -> AuditEntry:
    """The same without what is searched."""
    id, at, who, role, address, action, target, details, outcome = values
    return AuditEntry(
        id=id, at=at, who=who, role=role, address=address, action=action, target=target, details=bytes(details),
        outcome=outcome,
    )  # fmt: skip


def wanted(choice: AuditFilter, before: AuditPlace | None, limit: int) -> dict[str, Any]:
    """What is looked for, by the names of the statements."""
    return {
        **{name: _kept_if_any(getattr(choice, name)) for name in ("who", "action", "target")},
        "text": searched(choice.text),
        "since": choice.since,
        "until": choice.until,
        "before_at": None if before is None else before.at,
        "before_id": None if before is None else _kept(before.id),
        "limit": limit,
    }


def searched(text: str) -> str:
    """Text as it is compared: whether it is written in capitals does not matter."""
    return _kept(text).casefold()


def _kept(text: str) -> str:
    """No store keeps a zero in text, or half a character."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _kept_if_any(text: str | None) -> str | None:
    return None if text is None else _kept(text)
