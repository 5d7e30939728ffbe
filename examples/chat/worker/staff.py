"""What one worker process has at hand: the documents, and who writes the answers."""

import asyncio
import logging

from examples.chat.settings import Settings
from examples.chat.worker.documents import Passage, read_folder
from examples.chat.worker.library import Library
from examples.chat.worker.providers.offline import OfflineProvider
from examples.chat.worker.providers.openai import OpenAIProvider
from examples.chat.worker.providers.provider import Provider
from goatherd.errors import SettingsError

log = logging.getLogger("chat.worker")
# It tells of every request.
logging.getLogger("httpx2").setLevel(logging.WARNING)


class Staff:
    """Arrives before the first job of a process and leaves after the last."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._library: Library | None = None
        self._providers: dict[str, Provider] = {}

    async def arrive(self) -> None:
        """Read the documents; raises SettingsError if there are none."""
        passages = await asyncio.to_thread(self._read_documents)
        self._providers["offline"] = OfflineProvider(self._settings.pause)
        if self._settings.provider == "openai":
            self._providers["openai"] = OpenAIProvider(self._settings)
        log.info("%d passages of %s; provider %r", passages, self._settings.documents, self._settings.provider)

    async def leave(self) -> None:
        """Close everything."""
        for provider in self._providers.values():
            await provider.close()
        if self._library is not None:
            self._library.close()

    def provider(self, model: str | None) -> Provider:
        """Who writes; a user may ask for the one that needs no language model."""
        return self._providers["offline" if model == "offline" else self._settings.provider]

    def search(self, message: str) -> list[Passage]:
        """What the documents say about it: well under a millisecond, for readers of the file wait for nobody."""
        assert self._library is not None, "nobody has arrived yet"
        return self._library.search(message)

    def _read_documents(self) -> int:
        self._library = Library(self._settings.library)
        count = self._library.fill(read_folder(self._settings.documents))
        if not count:
            raise SettingsError([f"CHAT_DOCUMENTS is {str(self._settings.documents)!r}: there are no *.md files in it"])
        return count
