"""The one error that a caller is told about; every other one is a mistake in this program."""

from typing import Literal, TypeAlias

Code: TypeAlias = Literal[
    "bad_request",
    "too_large",
    "picture_missing",
    "picture_denied",
    "not_a_picture",
    "wrong_key",
    "rate_limited",
    "bad_answer",
    "timed_out",
    "unreachable",
    "provider_failed",
]


class CannotAnalyse(Exception):
    """The request cannot be answered: the text says why, and holds no secret."""

    def __init__(self, code: Code, message: str, *, retry_after: float | None = None) -> None:
        self.code = code
        self.message = message
        #: Seconds after which it is worth another try, where the provider said so.
        self.retry_after = retry_after
        super().__init__(message)

    def as_json(self) -> dict[str, object]:
        """For the reply."""
        told: dict[str, object] = {"message": self.message, "code": self.code}
        return told if self.retry_after is None else told | {"retry_after": self.retry_after}
