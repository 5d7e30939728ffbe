"""In what a broker differs from the definition, and in which order that is mended."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace

from goatherd.model.blueprint import (
    BindingSpec,
    Blueprint,
    ExchangeSpec,
    PolicySpec,
    QueueSpec,
    differing,
)
from goatherd.model.broker_arguments import Arguments
from goatherd.model.difference import Change, Detail, Difference, Scope
from goatherd.model.losses import risks_of_exchange, risks_of_not_seeing, risks_of_policy, risks_of_queue, without_idle
from goatherd.model.orphans import is_built_in, orphans
from goatherd.model.shadows import shadows
from goatherd.model.stand_in import why_not_replaceable
from goatherd.model.standing_in import risks_of_standing_in
from goatherd.model.unfinished import exchange_unfinished, leads_to_unfinished, queue_unfinished

#: Nothing is bound before both ends are there, and no old way is closed before the new one is open.
_ORDER = (
    ("create", "exchange"), ("policy", "policy"), ("create", "queue"), ("replace exchange", "exchange"),
    ("bind", "binding"), ("replace queue", "queue"), ("unbind", "binding"), ("orphan", "exchange"),
    ("orphan", "queue"), ("orphan", "policy"), ("shadowed", "exchange"), ("shadowed", "queue"),
)  # fmt: skip


def plan(wanted: Blueprint, live: Blueprint, scope: Scope | None = None) -> list[Difference]:
    """Every difference, in the order in which it is to be mended; nothing about what is not ours to judge."""
    scope = scope or Scope()
    left = list(orphans(wanted, live, scope))
    gone = {each.name for each in left if each.kind == "policy"} | {each.name for each in wanted.policies}
    strangers = [each for each in live.policies if each.name not in gone]
    found = [
        *_exchanges(wanted, live, scope),
        *_policies(wanted, live, scope),
        *_queues(wanted, live, scope),
        *_bindings(wanted, live),
        *left,
        *shadows(wanted, live, strangers, scope),
    ]
    first = {each.arguments.get("alternate-exchange") for each in wanted.exchanges}
    return sorted(found, key=lambda each: (_ORDER.index((each.change, each.kind)), each.name not in first))


def _exchanges(wanted: Blueprint, live: Blueprint, scope: Scope) -> Iterator[Difference]:
    filling = without_idle(live, wanted, scope)
    for exchange in wanted.exchanges:
        if is_built_in(exchange.name):
            continue
        there = live.exchange(exchange.name)
        why = exchange_unfinished(exchange.name, live)
        if there is None and not why:
            details = _all_of(exchange)
            yield Difference(change="create", kind="exchange", name=exchange.name, details=details)
        elif there != exchange or why:
            # Without the one that is to go, there is nothing left to lose.
            is_wrong = there not in (None, exchange)
            blind = risks_of_not_seeing(exchange.name, scope)
            hindrance = why_not_replaceable("exchange", exchange.name)
            yield Difference(
                change="replace exchange", kind="exchange", name=exchange.name, why=hindrance or why,
                mendable=not hindrance,
                details=_all_of(exchange) if there is None else _details(differing(exchange, there)),
                risks=risks_of_exchange(exchange, filling, scope) if is_wrong else blind,
            )  # fmt: skip


def _queues(wanted: Blueprint, live: Blueprint, scope: Scope) -> Iterator[Difference]:
    filling = without_idle(live, wanted, scope)
    for queue in wanted.queues:
        there = live.queue(queue.name)
        why = queue_unfinished(queue.name, live, scope)
        if there is None:
            change: Change = "replace queue" if why else "create"
            risks = risks_of_not_seeing(queue.name, scope) if why else ()
            details = _all_of(queue)
            yield Difference(change=change, kind="queue", name=queue.name, why=why, details=details, risks=risks)
            continue
        typed, there = (replace(each, type=each.type or scope.default_type) for each in (queue, there))
        if there != typed or why:
            wrong = there != typed
            risks = risks_of_not_seeing(queue.name, scope)
            if wrong:
                aside = risks_of_standing_in(typed, there, policies_by_then(wanted, live), scope)
                risks = (*risks_of_queue(typed, there, filling, scope), *aside)
            hindrance = why_not_replaceable("queue", queue.name)
            yield Difference(
                change="replace queue", kind="queue", name=queue.name, why=hindrance or why, mendable=not hindrance,
                details=_details(differing(typed, there)), risks=risks,
            )  # fmt: skip


def _policies(wanted: Blueprint, live: Blueprint, scope: Scope) -> Iterator[Difference]:
    for policy in wanted.policies:
        there = live.policy(policy.name)
        if there != policy:
            details = _all_of(policy) if there is None else _details(differing(policy, there))
            risks = risks_of_policy(policy, wanted, scope)
            yield Difference(change="policy", kind="policy", name=policy.name, details=details, risks=risks)


def policies_by_then(wanted: Blueprint, live: Blueprint) -> list[PolicySpec]:
    """Those that count while queues are replaced: all that are wanted are set before, and none is let go before."""
    return [*wanted.policies, *(each for each in live.policies if wanted.policy(each.name) is None)]


def _bindings(wanted: Blueprint, live: Blueprint) -> Iterator[Difference]:
    """A way that both ends of the definition know and it does not want is closed; other ends are somebody else's."""
    there, meant = set(live.bindings), set(wanted.bindings)
    sources = {each.name for each in wanted.exchanges} | {each.source for each in meant}
    ends = {("queue", each.name) for each in wanted.queues} | {("exchange", each.name) for each in wanted.exchanges}
    for binding in wanted.bindings:
        if binding not in there and binding.source and not leads_to_unfinished(binding, live):
            yield Difference(
                change="bind", kind="binding", name=name_of(binding), binding=binding, details=_way(binding, meant=True)
            )
    for binding in live.bindings:
        ours = binding.source in sources and (binding.destination_type, binding.destination) in ends
        # The broker itself binds every queue to its default exchange.
        if ours and binding.source and binding not in meant:
            yield Difference(
                change="unbind", kind="binding", name=name_of(binding), binding=binding,
                details=_way(binding, meant=False),
            )  # fmt: skip


def name_of(binding: BindingSpec) -> str:
    """How a binding is called in tables."""
    return f"{binding.source} → {binding.destination}"


def _way(binding: BindingSpec, *, meant: bool) -> tuple[Detail, ...]:
    told: list[tuple[str, object]] = [("key", binding.key)]
    told += [(f"arguments.{name}", value) for name, value in binding.arguments.items()]
    return tuple(
        Detail(field=name, wanted=value if meant else None, found=None if meant else value) for name, value in told
    )


def _details(found: Iterable[tuple[str, object, object]]) -> tuple[Detail, ...]:
    return tuple(Detail(field=name, wanted=wanted, found=there) for name, wanted, there in found)


def _all_of(spec: ExchangeSpec | QueueSpec | PolicySpec) -> tuple[Detail, ...]:
    """All that something says that is not there at all."""
    said: list[tuple[str, object]] = []
    for each in fields(spec):
        value = getattr(spec, each.name)
        if isinstance(value, Arguments):
            said += [(f"{each.name}.{name}", inner) for name, inner in value.items()]
        elif each.name != "name" and value is not None:
            said.append((each.name, value))
    return tuple(Detail(field=name, wanted=value, found=None) for name, value in said)
