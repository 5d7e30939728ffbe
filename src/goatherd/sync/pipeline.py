"""A pipeline with verbs that wait."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, Self, TypeVar

from goatherd.model.ids import new_id
from goatherd.model.seconds import Seconds
from goatherd.model.statement import UserConnection
from goatherd.pipeline import Pipeline
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.run import BlockingRun
from goatherd.sync.unanswered import not_accepted
from goatherd.sync.within import begin_within

_I = TypeVar("_I")
_O = TypeVar("_O")


class BlockingPipeline(Generic[_I, _O]):
    """What `blocking(pipeline)` gives."""

    __slots__ = ("_pipeline",)

    def __init__(self, pipeline: Pipeline[_I, _O]) -> None:
        self._pipeline = pipeline

    def __repr__(self) -> str:
        return f"blocking({self._pipeline!r})"

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
        return type(self)(self._pipeline.options(delay=delay, at=at, id=id, priority=priority, within=within))

    def start(self, input: _I, /) -> BlockingRun[_O]:
        """Begin a run; recorded when it returns."""
        pipeline, app = self._pipeline, self._pipeline.app
        # Here and not on the I/O thread: a mistake is the caller's, and so is the time to write the input.
        payload = pipeline.payload(input)
        # Whoever gets no answer is told under which id to try again.
        run_id = pipeline.run_options.id or new_id()
        options = pipeline.options(id=run_id).run_options
        definition = pipeline.definition
        if options.within is not None:
            begin_within(app, f"{pipeline.name}.start", definition, payload, options)
            return BlockingRun(app.run(run_id, of=pipeline))
        errand = Errand(f"{pipeline.name}.start", app, lambda: app.session().runs.start(definition, payload, options))
        ask(errand, 2 * app.settings.publish_deadline, not_accepted(errand, [run_id]))
        return BlockingRun(app.run(run_id, of=pipeline))
