"""What users' own transactions and unique jobs need of the records; opened at first use."""

import asyncio
import logging

from goatherd.errors import DefinitionError
from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.ports.outbox import Outbox
from goatherd.ports.uniques import Uniques
from goatherd.wiring.loading import load, take_file

log = logging.getLogger("goatherd.unique")


class UserRecords:
    """Of one open app."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._opening = asyncio.Lock()
        self._outbox: Outbox | None = None
        self._uniques: Uniques | None = None

    @property
    def have_outbox(self) -> bool:
        """Whether there may be jobs of users' transactions to send."""
        return not self._settings.record_store.startswith("sqlite:")

    async def outbox(self) -> Outbox:
        """Where jobs wait for users' transactions; raises DefinitionError where there is none."""
        async with self._opening:
            if self._outbox is None:
                self._outbox = await open_outbox(self._settings)
            return self._outbox

    async def uniques(self) -> Uniques:
        """Which jobs are the only ones of their kind."""
        async with self._opening:
            if self._uniques is None:
                if self._settings.record_store_is_local:
                    log.warning(
                        "The broker is on the network, but which jobs are unique is noted in the file of %s, which "
                        "other machines do not see; set GOATHERD_RECORDS_URL=postgresql://…",
                        self._settings.record_store,
                    )
                self._uniques = await open_uniques(self._settings, self._clock)
            return self._uniques

    async def close(self) -> None:
        """Let go of what was opened."""
        opened, self._outbox, self._uniques = (self._outbox, self._uniques), None, None
        for store in opened:
            if store is not None:
                await store.close()


async def open_outbox(settings: Settings) -> Outbox:
    """Open what keeps jobs for users' transactions; raises DefinitionError, and what other stores raise."""
    if settings.record_store.startswith("sqlite:"):
        raise DefinitionError(
            "within= needs the records of this app in the PostgreSQL database of your own tables, because the job is "
            "written there in your transaction, and they are in a file. Set GOATHERD_RECORDS_URL=postgresql://…"
        )
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_outbox(settings)


async def open_uniques(settings: Settings, clock: Clock) -> Uniques:
    """Open what knows which jobs are unique; raises Unavailable, SettingsError or MissingExtra."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.uniques import SqliteUniques

        database, give_back = await take_file(settings.record_store)
        return SqliteUniques(database, clock, deadline=settings.publish_deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_uniques(settings)
