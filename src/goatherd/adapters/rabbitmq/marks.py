"""The mark of a pause, and how to ask whether it is there."""

from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.properties import Properties, write
from goatherd.model.stand_in import LONGEST_NAME


def question_for(mark: str) -> Outgoing | None:
    """A message that is taken, and kept by nobody, if there is a mark of that name; None if there can be none.

    A plain question about a queue that is not there would be an error in the broker's log, each time it is asked.
    """
    if len(mark.encode()) > LONGEST_NAME:
        return None
    # The id is how a returned message is known again.
    return Outgoing(mark, "", mark, write(Properties(content_type="", message_id=mark)), b"")
