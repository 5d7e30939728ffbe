"""Replace an exchange, while another one keeps its bindings."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from goatherd.engine.topology.possible_ways import ways_that_can_be
from goatherd.engine.topology.progress import Voice
from goatherd.engine.topology.rivals import nobody_else_makes
from goatherd.model.blueprint import BindingSpec, Blueprint, ExchangeSpec
from goatherd.model.stand_in import stand_in_of
from goatherd.ports.plumbing import Plumbing


class ExchangeReplacement:
    """Begins, or goes on with what somebody began: what is on the broker tells how far that was."""

    def __init__(self, plumbing: Plumbing, wanted: Blueprint, exchange: ExchangeSpec, voice: Voice) -> None:
        self._plumbing = plumbing
        self._wanted = wanted
        self._exchange = exchange
        self._name = exchange.name
        self._stand_in = stand_in_of(exchange.name)
        self._voice = voice

    async def run(self) -> None:
        """Raises Unavailable; the next one goes on."""
        live = (await self._plumbing.survey(self._wanted)).blueprint
        there = live.exchange(self._name)
        ways = self._ways(live)
        if there is not None and there != self._exchange:
            if live.exchange(self._stand_in) is None:
                self._voice.say("make a stand-in that keeps its bindings")
                lasting = replace(self._exchange, name=self._stand_in, durable=True, auto_delete=False, internal=False)
                await self._plumbing.make_exchange(lasting)
            await self._bind(_renamed(ways, self._name, self._stand_in))
            self._voice.say("delete the old one")
            await self._plumbing.drop_exchange(self._name)
        self._voice.say("make it as it is wanted")
        async with nobody_else_makes("exchange", self._name):
            await self._plumbing.make_exchange(self._exchange)
        self._voice.say("bind it")
        await self._bind(self._ways_by_stand_in(ways))
        await self._bind(ways)
        self._voice.say("delete its stand-in")
        await self._plumbing.drop_exchange(self._stand_in)

    async def _bind(self, ways: Iterable[BindingSpec]) -> None:
        for way in ways:
            await self._plumbing.bind(way)

    def _ways(self, live: Blueprint) -> list[BindingSpec]:
        """Those that it has, those that its stand-in has, and those that it should have."""
        lasting = [way for way in live.bindings if not self._is_inner(way)]
        has = [way for way in lasting if _touches(way, self._name)]
        kept = _renamed(lasting, self._stand_in, self._name)
        meant = [each for each in ways_that_can_be(self._wanted, live, self._name) if _touches(each, self._name)]
        return list(dict.fromkeys((*has, *kept, *meant)))

    def _ways_by_stand_in(self, ways: Iterable[BindingSpec]) -> Iterable[BindingSpec]:
        """From it to its stand-in, which knows all goals already.

        Goals are bound one at a time. Without these, a message that comes in between would go to some of its goals and
        not to the others, and nobody would ever know; with them it goes to all, or comes back to its sender.
        """
        out = [way for way in ways if way.source == self._name]
        return dict.fromkeys(replace(way, destination=self._stand_in, destination_type="exchange") for way in out)

    def _is_inner(self, way: BindingSpec) -> bool:
        """Whether it leads from one of the two to the other."""
        return way.destination_type == "exchange" and {way.source, way.destination} == {self._name, self._stand_in}


def _touches(way: BindingSpec, exchange: str) -> bool:
    return way.source == exchange or (way.destination_type, way.destination) == ("exchange", exchange)


def _renamed(ways: Iterable[BindingSpec], name: str, to: str) -> Iterator[BindingSpec]:
    """The bindings of one exchange, from it or to it, as they are for another."""
    for way in ways:
        if _touches(way, name):
            leads_there = (way.destination_type, way.destination) == ("exchange", name)
            yield replace(
                way,
                source=to if way.source == name else way.source,
                destination=to if leads_there else way.destination,
            )
