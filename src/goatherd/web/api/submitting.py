"""Send what an operator wishes; the same for programs and for the pages with forms."""

from goatherd.app import Goatherd
from goatherd.desk import tasks as desk
from goatherd.desk.tasks import Submission, Submitted
from goatherd.web.control.acting import act
from goatherd.web.control.visitor import Visitor


async def submit(who: Visitor, app: Goatherd, what: Submission) -> Submitted:
    """Send it and have it on record; raises NotAllowed, NotThere, InvalidArguments or Unavailable."""
    # Arguments may be large and may have secrets in them: the names are enough to know what was done.
    told = {"arguments": sorted(what.arguments), "id": what.id, "delay": what.delay, "priority": what.priority}
    said = {name: value for name, value in told.items() if value is not None}
    verb, task = f"task.{what.verb}", what.task
    return await act(who, app, verb, task, lambda: desk.submit(app, what), said, came_to=_named)


def _named(sent: Submitted) -> dict[str, str]:
    return {"id": sent.id}
