"""What a program says about its broker beside its tasks and queues: exchanges, bindings, policies, files."""

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import get_args

from goatherd.errors import DefinitionError
from goatherd.model.blueprint import ApplyTo, BindingSpec, Blueprint, ExchangeSpec, PolicySpec
from goatherd.model.imported import Imported
from goatherd.model.topology import ExchangeType, Queue
from goatherd.model.topology_text import read_topology_text


class Topology:
    """`app.topology`: what a RabbitMQ must have besides what tasks, queues and listeners of the app say.

    Together that is the definition. Programs make what is missing of it, or check it, as `declare` says; `goatherd
    topology` compares it with the broker and with files. Here nothing is made and no broker is asked.
    """

    def __init__(self) -> None:
        self._exchanges: dict[str, ExchangeSpec] = {}
        #: With the queue where it was given as one: a name may be that of an exchange, too.
        self._bindings: list[tuple[BindingSpec, bool]] = []
        self._policies: dict[str, PolicySpec] = {}
        #: By path: the text, and the virtual host that is meant where it is not called as the broker's.
        self._files: dict[str, tuple[str, str | None]] = {}

    def exchange(
        self,
        name: str,
        type: ExchangeType,
        *,
        durable: bool = True,
        arguments: Mapping[str, str | int | bool] | None = None,
    ) -> None:
        """An exchange; raises DefinitionError if it was described otherwise before."""
        if type not in get_args(ExchangeType):
            raise DefinitionError(f"The exchange {name!r} has type={type!r}; use {', '.join(get_args(ExchangeType))}.")
        if not name:
            raise DefinitionError("The exchange without a name is always there; give this one a name.")
        described = ExchangeSpec(name=name, type=type, durable=durable, arguments=arguments or {})
        first = self._exchanges.setdefault(name, described)
        if first.type != type:
            raise DefinitionError(f"The exchange {name!r} is both {first.type!r} and {type!r}; choose one.")
        if first != described:
            raise DefinitionError(f"The exchange {name!r} is described twice, and not alike; describe it once.")

    def bind(
        self, source: str, to: str | Queue, key: str = "", *, arguments: Mapping[str, str | int | bool] | None = None
    ) -> None:
        """Let what an exchange gets under a key go to a queue, or to an exchange that is described here, too."""
        if not source:
            raise DefinitionError("Nothing can be bound to the exchange without a name; every queue is, by its name.")
        destination = to.name if isinstance(to, Queue) else to
        binding = BindingSpec(source=source, destination=destination, key=key, arguments=arguments or {})
        self._bindings.append((binding, isinstance(to, Queue)))

    def policy(
        self,
        name: str,
        pattern: str,
        definition: Mapping[str, str | int | bool],
        *,
        apply_to: ApplyTo = "all",
        priority: int = 0,
    ) -> None:
        """What the broker gives to every queue or exchange whose name fits a pattern, as in `{"max-length": 1000}`.

        Of several that fit, the one with the highest priority counts. Raises DefinitionError if it was described
        otherwise before.
        """
        described = PolicySpec(name=name, pattern=pattern, apply_to=apply_to, definition=definition, priority=priority)
        if self._policies.setdefault(name, described) != described:
            raise DefinitionError(f"The policy {name!r} is described twice, and not alike; describe it once.")

    def load(self, path: str | PathLike[str], *, vhost: str | None = None) -> None:
        """Add Topology Operator YAML or definitions.json.

        A file that names virtual hosts must name that of broker_url. With `vhost`, what the file says about that one
        is wanted in the one of broker_url, whatever it is called: one file for production and for a test.
        """
        place = fspath(path)
        try:
            text = Path(place).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise DefinitionError(f"The topology in {place!r} cannot be read: {error}.") from error
        # Whatever is wrong with it is said here and now; whose it is where it does not say so comes later.
        found = read_topology_text(text, place, "/")
        if vhost is not None and vhost not in found.blueprints:
            raise DefinitionError(
                f"{place} says nothing about the virtual host {vhost!r}; it is about {_hosts(found)}."
            )
        self._files[place] = text, vhost

    def with_exchange(self, queue: Queue) -> Queue:
        """A queue that knows its exchange, if that was described."""
        found = self._exchanges.get(queue.exchange)
        if found is None:
            return queue
        [kind] = [each for each in get_args(ExchangeType) if each == found.type]
        return replace(
            queue, exchange_type=kind, exchange_durable=found.durable, exchange_arguments=dict(found.arguments)
        )

    def blueprint(self, vhost: str) -> Blueprint:
        """All of it, as it is wanted in a virtual host; raises DefinitionError for what does not fit together."""
        whole = Blueprint(
            vhost=vhost, exchanges=tuple(self._exchanges.values()), policies=tuple(self._policies.values())
        )
        said = "the code"
        for place, (text, meant) in self._files.items():
            whole = whole.merged(_loaded(place, text, vhost, meant), here=said, there=place)
            said += f" or {place}"
        return replace(whole, bindings=(*whole.bindings, *self._own_bindings(whole)))

    def _own_bindings(self, whole: Blueprint) -> list[BindingSpec]:
        found = []
        for binding, is_queue in self._bindings:
            leads_on = not is_queue and whole.exchange(binding.destination) and not whole.queue(binding.destination)
            found.append(replace(binding, destination_type="exchange") if leads_on else binding)
        return found


def _loaded(place: str, text: str, vhost: str, meant: str | None) -> Blueprint:
    found = read_topology_text(text, place, vhost)
    if meant is not None:
        return replace(found.of(meant), vhost=vhost)
    if vhost not in found.blueprints:
        raise DefinitionError(
            f"{place} is about the virtual host {_hosts(found)}, but broker_url names {vhost!r}; make them the same, "
            f"or say vhost= where it is loaded."
        )
    return found.of(vhost)


def _hosts(found: Imported) -> str:
    return ", ".join(repr(name) for name in sorted(found.blueprints)) or "none"
