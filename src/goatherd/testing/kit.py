"""Open an app for a test, and leave it as it was."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

from goatherd.config import FILE, Sources, read_settings
from goatherd.engine.meter import Meter
from goatherd.errors import NotOpen
from goatherd.model.task import TaskDefinition
from goatherd.session import Opener
from goatherd.testing.callers import Callers
from goatherd.testing.clock import FakeClock
from goatherd.testing.clockwork import Clockwork
from goatherd.testing.herd import Herd
from goatherd.testing.recorder import recording
from goatherd.testing.records import Records

if TYPE_CHECKING:
    from goatherd.app import Goatherd

#: What an app has of its surroundings, and what a test puts in its place.
SURROUNDINGS = ("sources", "settings", "default_retry", "clock", "meter", "opener")


@asynccontextmanager
async def testing(app: Goatherd, /) -> AsyncIterator[Herd]:
    """Open the app for a test: the real engine on a temporary file, with a clock that stands still.

    Settings come from the app's own keywords and from `goatherd.toml`, never from the environment. Jobs are done while
    `drain` or `advance` runs or while somebody waits for a `call`, and at no other time. Lifespans are entered once for
    the whole test.
    """
    _check_closed(app)

    def definition(task: str) -> TaskDefinition:
        return app.tasks[task].definition

    def tell(job: str, error: Exception) -> None:
        app.session().calls.give_up(job, error)

    clock, records, callers = FakeClock(float(int(time.time()))), Records(), Callers()
    opener = recording(records, callers, definition, tell)
    with TemporaryDirectory(prefix="goatherd-") as folder, _surrounded(app, folder, clock, opener):
        async with app, AsyncExitStack() as life:
            clockwork = Clockwork(app, clock, records)
            await clockwork.wind_up()
            for hook in app.lifespans:
                await life.enter_async_context(asynccontextmanager(hook)())
            herd = Herd(app, clock, records, callers, clockwork)
            life.push_async_callback(herd.close)
            yield herd


# Its name begins with "test", so pytest would run it as a test wherever it is imported.
vars(testing)["__test__"] = False


@contextmanager
def _surrounded(app: Goatherd, folder: str, clock: FakeClock, opener: Opener) -> Iterator[None]:
    """Let the app see a test's world for a while."""
    file = f"sqlite:///{quote(folder)}/{quote(app.name, safe='')}.db"
    keywords = {**app.keywords, "broker_url": file, "events_url": file, "lanes_url": file, "records_url": file}
    sources = Sources(keywords, {}, Path(FILE))
    settings, retry = read_settings(app.name, sources)
    before = {name: value for name, value in vars(app).items() if name in SURROUNDINGS}
    app.sources, app.settings, app.default_retry = sources, settings, retry
    app.clock, app.meter, app.opener = clock, Meter(), opener
    try:
        yield
    finally:
        for name in SURROUNDINGS:
            vars(app).pop(name, None)
        vars(app).update(before)


def _check_closed(app: Goatherd) -> None:
    try:
        app.session()
    except NotOpen:
        return
    raise RuntimeError(
        f"The app {app.name!r} is open already. `testing(app)` opens it itself: leave out `async with app:` around "
        f"it, and test one app at a time with one herd."
    )
