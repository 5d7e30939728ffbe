"""What on a broker is an app's own to judge."""

import re
from collections.abc import Sequence

from goatherd.adapters.rabbitmq.names import Names
from goatherd.model.difference import Scope
from goatherd.model.survey import Survey
from goatherd.model.topology import Queue


def scope_of(app: str, queues: Sequence[Queue], seen: Survey) -> Scope:
    """For the queues that an app uses, on a broker as it was seen."""
    names = Names(app)
    own = re.escape(app)
    return Scope(
        prefixes=(f"{app}.work.", f"{app}.dead.", f"{app}.hold.", f"{app}.due."),
        graves=frozenset((names.dead_exchange,)),
        passing=(
            rf"{own}\.reply\.v1\..*",
            # Those for new lengths of delays are made when they are needed.
            rf"{own}\.hold\.v1\.\d+",
            r".*\.paused\.v1",
        ),
        ours_alone=frozenset((*names.exchanges, names.dead_queue, *(each.name for each in queues if _is_ours(each)))),
        unguarded=frozenset(each.name for each in queues if each.one_of_many),
        # Who takes one at a time, mostly does so for the sake of their order.
        ordered=frozenset(each.name for each in queues if each.prefetch == 1),
        default_type=seen.default_type,
        crowds=seen.crowds,
        operator_policies=seen.operator_policies,
        strangers=seen.strangers,
        unseen=seen.unseen,
    )


def _is_ours(queue: Queue) -> bool:
    """Whether only programs of this app put messages into it."""
    return not (queue.contract or queue.open_to_others)
