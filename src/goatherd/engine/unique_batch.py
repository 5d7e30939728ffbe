"""Jobs that are sent together, of which some may be the same."""

from collections.abc import Sequence

from goatherd.model.job import AnyJob
from goatherd.model.unique import UniqueClaim


class Batch:
    """Tells which of them are to be sent, and which job stands in the place of the others."""

    def __init__(self) -> None:
        self._jobs: dict[str, AnyJob] = {}
        self._claims: dict[str, list[UniqueClaim]] = {}
        self._firsts: dict[str, str] = {}
        #: Jobs by the id of the one that stands in their place.
        self._instead: dict[int, str] = {}

    @property
    def claims(self) -> list[UniqueClaim]:
        """Of the jobs that are to be sent, no two with the same key."""
        return [claim for claims in self._claims.values() for claim in claims]

    @property
    def claims_of_each(self) -> list[list[UniqueClaim]]:
        """The same by job; what its arguments want comes before what its id wants."""
        return list(self._claims.values())

    @property
    def to_send(self) -> list[AnyJob]:
        """Those that are not there yet, in order."""
        return list(self._jobs.values())

    def add(self, job: AnyJob, claims: Sequence[UniqueClaim]) -> None:
        """One more, unless another one of the batch stands for it."""
        first = next((self._firsts[claim.key] for claim in claims if claim.key in self._firsts), None)
        if first is not None or job.id in self._jobs:
            self._instead[id(job)] = first or job.id
            return
        self._jobs[job.id] = job
        self._claims[job.id] = list(claims)
        self._firsts.update({claim.key: job.id for claim in claims})

    def skip(self, job: AnyJob) -> None:
        """It was sent before."""
        self._instead[id(job)] = job.id

    def lose(self, job: str, to: str) -> None:
        """Another job was first."""
        if job in self._jobs:
            self._instead[id(self._jobs.pop(job))] = to
            del self._claims[job]
            for key, first in self._firsts.items():
                if first == job:
                    self._firsts[key] = to
            self._instead.update({at: to for at, first in self._instead.items() if first == job})

    def id_of(self, job: AnyJob) -> str:
        """Its own id, or that of the job that came first."""
        return self._instead.get(id(job), job.id)
