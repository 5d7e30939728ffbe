"""What a worker needs to work on pipelines as well."""

from dataclasses import dataclass

from goatherd.engine.conductor import Conductor
from goatherd.engine.step_source import StepSource


@dataclass(frozen=True, kw_only=True)
class StepWork:
    """The units of one worker, and who tells of those that are ready."""

    source: StepSource
    conductor: Conductor
    #: Where foreign workers answer; nothing if there are none.
    answers: str
