"""Write jobs into a transaction of the user's own; they are sent if and only if it is committed."""

from collections.abc import Sequence
from dataclasses import dataclass

from goatherd.engine.enqueue import Sender
from goatherd.engine.lane_posting import refused
from goatherd.engine.unique_batch import Batch
from goatherd.engine.uniqueness import LOOK_AGAIN_AFTER, Uniqueness, not_known
from goatherd.engine.user_transaction import Asking, other_database
from goatherd.errors import DefinitionError
from goatherd.model.job import AnyJob
from goatherd.model.lane import LaneItem, Placement
from goatherd.model.message import NO_HEADERS, Headers, Message
from goatherd.model.outbox import OutboxJob
from goatherd.model.unique import UniqueClaim
from goatherd.ports.lanes import Lanes
from goatherd.ports.outbox import Outbox
from goatherd.ports.uniques import Uniques


@dataclass(frozen=True, kw_only=True)
class OutboxEntry:
    """The way into the outbox for some jobs, with all stores open that they need. Any thread may use it."""

    outbox: Outbox
    sender: Sender
    uniqueness: Uniqueness
    #: There if one of the jobs wants to be the only one of its kind.
    uniques: Uniques | None = None
    #: There if one of the jobs has a key.
    lanes: Lanes | None = None
    #: There for jobs that can be watched: what tells workers so.
    tracked: Headers | None = None

    def put(self, jobs: Sequence[AnyJob]) -> Asking[list[str]]:
        """Write them down, in order; gives their ids. Raises Refused for full lanes, and DefinitionError."""
        batch = yield from self._those_not_there(jobs)
        messages = [self.sender.message(job, headers=self.tracked or NO_HEADERS) for job in batch.to_send]
        laned = [(job, message) for job, message in zip(batch.to_send, messages, strict=True) if job.lane is not None]
        placed = (yield from self._into_lanes(laned)) if laned else False
        rows = [
            self._row(job, message, placed=placed and job.lane is not None)
            for job, message in zip(batch.to_send, messages, strict=True)
        ]
        # What is in its lane need not be sent; but if it is watched, it has to be noted that it waits.
        rows = [row for row in rows if row.tracked or not row.placed]
        if rows:
            written = yield self.outbox.statement(rows)
            if written is None or written[0] != len(rows):
                raise other_database()
        return [batch.id_of(job) for job in jobs]

    def _those_not_there(self, jobs: Sequence[AnyJob]) -> Asking[Batch]:
        batch = Batch()
        for job in jobs:
            batch.add(job, self.uniqueness.claims(job, tracked=self.tracked is not None))
        # One kind of key after the other: a key that is had cannot be given back before the transaction ends.
        for kind in (0, 1):
            yield from self._take(batch, [claims[kind] for claims in batch.claims_of_each if len(claims) > kind])
        return batch

    def _take(self, batch: Batch, claims: Sequence[UniqueClaim]) -> Asking[None]:
        waited = 0.0
        while claims:
            statement = None if self.uniques is None else self.uniques.take_statement(claims)
            if statement is None:
                raise DefinitionError("unique= and id= need the records in the same database as the transaction.")
            row = yield statement
            assert row is not None, "the statement gives a row"
            answers = list(zip(claims, *row, strict=True))
            for claim, state, job in answers:
                if state == "taken":
                    batch.lose(claim.job, job)
            claims = [claim for claim, state, _ in answers if state == "pending"]
            if claims and waited >= self.uniqueness.patience:
                raise not_known(claims[0].job, waited, [claim.job for claim in claims])
            if claims:
                # Somebody else is sending it right now, and either has sent it in a moment or has not.
                yield LOOK_AGAIN_AFTER
                waited += LOOK_AGAIN_AFTER

    def _into_lanes(self, laned: Sequence[tuple[AnyJob, Message]]) -> Asking[bool]:
        """Put keyed jobs into their lanes in the transaction itself; false if these are in another store."""
        assert self.lanes is not None, "they are opened for jobs with a key"
        items: list[LaneItem] = [self.sender.item(job, message) for job, message in laned]
        into = self.lanes.entry_within(items)
        if into is None:
            return False
        same = yield into.probe
        if same is None or not same[0]:
            return False
        row = yield into.enqueue
        assert row is not None, "the statement gives a row"
        placements = [Placement(answer=answer) for answer in row[0]]
        if any(each.answer == "full" for each in placements):
            raise refused(items, placements, ())
        return True

    def _row(self, job: AnyJob, message: Message, *, placed: bool) -> OutboxJob:
        return OutboxJob(
            message=message, tracked=self.tracked is not None, placed=placed, keep_place=job.options.keep_place
        )
