"""Begin runs in a transaction of the user's own; they are begun if and only if it is committed."""

from dataclasses import dataclass

from goatherd.engine.user_transaction import Asking, other_database
from goatherd.errors import DefinitionError
from goatherd.model.message import Message
from goatherd.model.outbox import OutboxJob
from goatherd.model.run_record import NewRun
from goatherd.ports.outbox import Outbox
from goatherd.ports.steps import Steps


@dataclass(frozen=True, kw_only=True)
class RunEntry:
    """The way to the records of runs, with all stores open that it needs. Any thread may use it."""

    steps: Steps
    outbox: Outbox
    #: Until when events of a run that waits are kept.
    until: float

    def begin(self, run: NewRun) -> Asking[str]:
        """Record a run, whose steps are done once that is committed; gives its id. Raises DefinitionError."""
        statement = self.steps.begin_statement(run)
        if statement is None:
            raise DefinitionError("within= needs the records of runs in the database of your own tables.")
        # Those who watch it are told that it waits, after the commit; and the answer tells which database this is.
        waits = Message(id=run.id, queue="", body=run.input, task=run.pipeline, due=self.until)
        note = OutboxJob(message=waits, tracked=True, placed=True)
        written = yield self.outbox.statement([note])
        if written is None or written[0] != 1:
            raise other_database()
        yield statement
        return run.id
