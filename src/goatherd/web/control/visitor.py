"""Somebody who was let in."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from goatherd.errors import GoatherdError

#: A viewer sees everything that is not redacted; an operator may also act.
Role: TypeAlias = Literal["viewer", "operator"]
By: TypeAlias = Literal["token", "cookie", "proxy", "dev"]


@dataclass(frozen=True, kw_only=True)
class Visitor:
    """Who asks."""

    name: str
    role: Role
    #: How we know: a bearer token, our cookie, a proxy's header, or because everybody on this machine may.
    by: By
    #: From where.
    address: str = ""
    #: What forms and scripts of our pages send along, to show that they are ours.
    csrf: str = ""

    @property
    def may_act(self) -> bool:
        """Whether this is an operator."""
        return self.role == "operator"


class NotSignedIn(GoatherdError):
    """Nobody whom we know."""


class NotAllowed(GoatherdError):
    """Somebody whom we know, but who may not do this; nothing was changed."""
