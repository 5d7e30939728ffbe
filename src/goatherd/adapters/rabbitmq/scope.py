"""What on a broker is an app's own to judge."""

import re
from collections.abc import Sequence

from goatherd.adapters.rabbitmq.names import Names
from goatherd.model.difference import Scope
from goatherd.model.stand_in import PATTERN as STAND_INS
from goatherd.model.survey import Survey
from goatherd.model.topology import Queue


def scope_of(app: str, queues: Sequence[Queue], seen: Survey) -> Scope:
    """For the queues that an app uses, on a broker as it was seen."""
    names = Names(app)
    exchanges = (names.dead_exchange, names.hold_exchange, names.due_exchange)
    own = re.escape(app)
    return Scope(
        prefixes=(f"{app}.dead.", f"{app}.hold.", f"{app}.due."),
        graves=frozenset((names.dead_exchange,)),
        passing=(
            rf"{own}\.reply\.v1\..*",
            # Those for new lengths of delays are made when they are needed.
            rf"{own}\.hold\.v1\.\d+",
            r".*\.paused\.v1",
            STAND_INS,
        ),
        ours_alone=frozenset(
            (*exchanges, names.dead_queue, *(queue.name for queue in queues if not queue.contract)),
        ),
        default_type=seen.default_type,
        crowds=seen.crowds,
        strangers=seen.strangers,
    )
