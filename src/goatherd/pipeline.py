"""A pipeline: typed steps with recorded results, and the verb that begins a run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, Unpack, cast, overload

from goatherd.declared_steps import DeclaredSteps
from goatherd.engine.enqueue import check_size
from goatherd.model.job import NO_OPTIONS, JobOptions, job_options
from goatherd.model.pipeline import PipelineDefinition
from goatherd.model.seconds import Seconds
from goatherd.model.statement import UserConnection
from goatherd.run import Run
from goatherd.step import Step
from goatherd.step_decorators import BatchMapOf, MapOf, StepOf
from goatherd.step_options import MapOptions, StepOptions, map_form, step_form

if TYPE_CHECKING:
    from goatherd.app import Goatherd

_I = TypeVar("_I")
_O = TypeVar("_O")
_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_D = TypeVar("_D")


class Pipeline(Generic[_I, _O]):
    """Typed steps with recorded results; each is done once, whatever is delivered twice."""

    def __init__(self, app: Goatherd, name: str, takes: Any, gives: Any) -> None:
        self._steps = DeclaredSteps(app, name, takes, gives)
        self._options = NO_OPTIONS

    def __repr__(self) -> str:
        return f"<Pipeline {self.name} of {self.app.name}>"

    @property
    def name(self) -> str:
        """The name under which its runs are known."""
        return self._steps.pipeline

    @property
    def app(self) -> Goatherd:
        """The app it belongs to."""
        return self._steps.app

    @property
    def input(self) -> Step[_I]:
        """What `start` was given, as a step for `after=`."""
        return self._steps.input

    @property
    def definition(self) -> PipelineDefinition:
        """The pipeline with every default filled in, checked; raises DefinitionError or SettingsError."""
        return self._steps.definition

    @overload
    def step(self, *, after: Step[_A], **options: Unpack[StepOptions]) -> StepOf[_A]: ...
    @overload
    def step(self, *, after: tuple[Step[_A], Step[_B]], **options: Unpack[StepOptions]) -> StepOf[_A, _B]: ...
    @overload
    def step(
        self, *, after: tuple[Step[_A], Step[_B], Step[_C]], **options: Unpack[StepOptions]
    ) -> StepOf[_A, _B, _C]: ...
    @overload
    def step(
        self, *, after: tuple[Step[_A], Step[_B], Step[_C], Step[_D]], **options: Unpack[StepOptions]
    ) -> StepOf[_A, _B, _C, _D]: ...
    def step(self, *, after: Any, **options: Any) -> Any:
        """Declare a step; the results of the steps it comes after are its arguments, in that order."""
        return StepOf(self._steps, step_form(self._steps, after, options))

    @overload
    def map(self, *, over: Step[Sequence[_A]], **options: Unpack[MapOptions]) -> MapOf[_A]: ...
    @overload
    def map(self, *, over: Step[Sequence[_A]], after: Step[_B], **options: Unpack[MapOptions]) -> MapOf[_A, _B]: ...
    @overload
    def map(
        self, *, over: Step[Sequence[_A]], after: tuple[Step[_B], Step[_C]], **options: Unpack[MapOptions]
    ) -> MapOf[_A, _B, _C]: ...
    @overload
    def map(self, *, over: Step[Sequence[_A]], batch: int, **options: Unpack[MapOptions]) -> BatchMapOf[_A]: ...
    @overload
    def map(
        self, *, over: Step[Sequence[_A]], after: Step[_B], batch: int, **options: Unpack[MapOptions]
    ) -> BatchMapOf[_A, _B]: ...
    @overload
    def map(
        self,
        *,
        over: Step[Sequence[_A]],
        after: tuple[Step[_B], Step[_C]],
        batch: int,
        **options: Unpack[MapOptions],
    ) -> BatchMapOf[_A, _B, _C]: ...
    def map(self, *, over: Any, after: Any = (), batch: int | None = None, **options: Any) -> Any:
        """Declare a step done for each item, or for batches of items, joined once into a list."""
        form = map_form(self._steps, over, after, batch, options)
        return MapOf(self._steps, form) if batch is None else BatchMapOf(self._steps, form)

    def options(
        self,
        *,
        delay: Seconds | None = None,
        at: datetime | None = None,
        id: str | None = None,
        priority: int | None = None,
        within: UserConnection | None = None,
    ) -> Self:
        """The same pipeline with options for the next run, beside those it already has.

        With `within` the run is begun if and only if the transaction of that connection commits.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._options = self._options.then(job_options(delay, at, None, id, priority).once(None, within))
        return other

    async def start(self, input: _I, /) -> Run[_O]:
        """Begin a run; recorded when it returns."""
        runs = self.app.session().runs
        run_id = await runs.start(self.definition, self.payload(input), self._options)
        return cast("Run[_O]", Run(self.app, run_id, self.definition))

    def payload(self, input: _I) -> bytes:
        """The input as JSON; raises InvalidArguments."""
        takes = self.definition.takes
        encoded: bytes = takes.encode(takes.bind((input,), {}))
        check_size(self.name, encoded, self.app.settings.payload_limit)
        return encoded

    def has(self, step: Step[Any]) -> bool:
        """Whether the step is one of this pipeline."""
        return self._steps.has(step)

    @property
    def run_options(self) -> JobOptions:
        """What `.options(...)` said about the next run."""
        return self._options
