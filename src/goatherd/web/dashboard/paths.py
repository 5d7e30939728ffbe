"""Parts of paths: what comes from data may have anything in it, line breaks included."""

from starlette.convertors import Convertor, register_url_convertor


class Anything(Convertor[str]):
    """All of the rest of a path, as `path` is, but over line breaks, too: in `/lanes/{key:anything}`."""

    regex = r"(?s:.*)"

    def convert(self, value: str) -> str:
        """As it is."""
        return value

    def to_string(self, value: str) -> str:
        """As it is."""
        return value


register_url_convertor("anything", Anything())

#: The path of one lane: keys come from data.
LANE = "/lanes/{key:anything}"
