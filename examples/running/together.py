"""Programs of an example that live and end together."""

from types import TracebackType
from typing import Self

from examples.running.programs import Program


class Together:
    """Used with `with`: all are started at once, and are ready inside of the block."""

    #: All that are started with it; the last one is what people speak to.
    programs: tuple[Program, ...]

    def __enter__(self) -> Self:
        try:
            for program in self.programs:
                program.launch()
            for program in self.programs:
                program.await_ready()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        # What people speak to first, so that nobody asks those who are gone already.
        for program in reversed(self.programs):
            program.stop()
