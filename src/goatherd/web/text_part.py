"""Which text part of a message a client has open: what the AI SDK's chunks depend on."""

from typing import NamedTuple
from urllib.parse import quote, unquote

#: The part of tokens without a node, and of a text whose nodes are not known any more.
TEXT = "text"

#: What a client has of the present attempt: nothing, something, a part of one node, or one with the text so far.
CLEAN, SPOKEN, OPEN, WHOLE = "", "+", "=", "*"

_OURS = "a"


class Heard(NamedTuple):
    """What a client has been told; its mark is this in one word."""

    kind: str = CLEAN
    #: Of the last token; empty if it is not known, or has none.
    node: str = ""

    @property
    def mark(self) -> str:
        """In one word that is safe in a header."""
        return f"{_OURS}{self.kind}{quote(self.node, safe='')}"

    @classmethod
    def read(cls, mark: str) -> "Heard":
        """What a mark says; raises ValueError."""
        if mark[:1] != _OURS or mark[1:2] not in (CLEAN, SPOKEN, OPEN, WHOLE):
            raise ValueError(f"{mark!r} is no mark of this format")
        return cls(mark[1:2], unquote(mark[2:]))

    @property
    def part(self) -> str:
        """The id of the open text part; empty if there is none."""
        match self.kind:
            case "=":
                return self.node or TEXT
            case "*":
                return TEXT
        return ""

    def goes_on(self, node: str) -> bool:
        """Whether a token of this node belongs to the open part."""
        # Of the text so far nobody knows which node was last: it would be cut in the middle of a word.
        unknown = self.kind == WHOLE and not self.node
        return bool(self.part) and (unknown or self.node == node)
