"""What operators are told when something cannot be done: it is not there, or it cannot be done as things stand."""

from goatherd.errors import GoatherdError


class NotThere(GoatherdError):
    """There is no such thing, by the id or name that was given."""

    def __init__(self, what: str, id: str, hint: str = "", *, told: str | None = None, at_shell: str = "") -> None:
        """`hint` says what there is instead; `told` are other words for the first sentence.

        `at_shell` is what helps those who sit at a terminal.
        """
        self.what, self.id, self.hint = what, id, hint
        self.at_shell = at_shell
        super().__init__(" ".join(filter(None, (told or f"There is no {what} {id!r}.", hint))))


class Ambiguous(NotThere):
    """More than one thing is meant by what was given."""


class NotNow(GoatherdError):
    """It is there, but this cannot be done to it as it stands; nothing was changed."""

    def __init__(self, why: str, *, at_shell: str = "") -> None:
        self.why = why
        self.at_shell = at_shell
        super().__init__(why)


def for_shell(error: GoatherdError) -> str:
    """The error in words for a terminal."""
    more = error.at_shell if isinstance(error, NotThere | NotNow) else ""
    # It may go on with the last sentence.
    return f"{str(error).removesuffix('.')}{more}" if more.startswith(";") else f"{error} {more}".rstrip()
