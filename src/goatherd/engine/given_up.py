"""Calls whose callers have given up, so that nobody works for them any more."""

#: Calls that are remembered; the oldest are forgotten, and then done for nobody.
REMEMBERED = 10_000


class GivenUp:
    """What this worker was told of."""

    def __init__(self) -> None:
        self._jobs: dict[str, None] = {}

    def add(self, job_id: str) -> None:
        """Its caller has given up."""
        self._jobs[job_id] = None
        if len(self._jobs) > REMEMBERED:
            del self._jobs[next(iter(self._jobs))]

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._jobs
