"""YAML that other readers understand as we do; PyYAML is imported only when it is needed."""

import re
from collections.abc import Iterable
from typing import Any

from goatherd.errors import DefinitionError, MissingExtra

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
#: What some reader of YAML takes for something else than text.
_OTHERWISE = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"))


def read_documents(text: str, where: str) -> list[Any]:
    """Every document of a text; raises DefinitionError, also for a key that stands twice in a mapping."""
    yaml = _yaml()

    class Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        """The safe one, which also minds what is said twice."""

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            """A mapping without a key that stands twice: PyYAML would take the last."""
            keys = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
            for key in keys:
                if keys.count(key) > 1:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key!r} stands twice in one mapping", node.start_mark
                    )
            return super().construct_mapping(node, deep)

    try:
        return list(yaml.load_all(text, Loader=Loader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise DefinitionError(f"{where} is no YAML that can be read: {error}.") from error


def write_documents(documents: Iterable[Any]) -> str:
    """A text with every document; whatever could be taken for something else than text is in quotes."""
    yaml = _yaml()

    class Dumper(yaml.SafeDumper):  # type: ignore[misc, name-defined]
        """The safe one, which quotes more: readers of other languages see numbers where PyYAML sees text."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def quoted(dumper: Any, text: str) -> Any:
        plain = _PLAIN.fullmatch(text) is not None and text.lower() not in _OTHERWISE
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')

    Dumper.add_representer(str, quoted)
    written: str = yaml.dump_all(documents, Dumper=Dumper, sort_keys=False, allow_unicode=True, explicit_start=True)
    return written


def _yaml() -> Any:
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtra("Topology in YAML", "yaml") from error
    return yaml
