"""Videos and sounds by their keys: in a folder, or on S3 and its like.

What is stored under a key is all of it or nothing, and to store the same again changes nothing: so a step that is done
a second time does no harm.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import BaseError, InvalidPathError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, ObjectStore, S3Store

from examples.dubbing.settings import Settings
from examples.dubbing.troubles import Lasting, Passing

if TYPE_CHECKING:
    from obstore.store import S3Config

#: Seconds that one request to the store may take.
PATIENCE = timedelta(seconds=60)


class NoSuchObject(Lasting):
    """There is nothing under this key."""


class Objects:
    """The store that the settings name; used from any loop. Raises Passing or Lasting."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def _store(self) -> ObjectStore:
        """Made when it is needed, for that makes a folder, too."""
        return _store_of(self._settings)

    async def put(self, key: str, content: Path | bytes) -> None:
        """Store a file, or bytes."""
        with _told(key):
            await obstore.put_async(self._store, key, content)

    async def get(self, key: str, path: Path) -> None:
        """Have it as a file."""
        with _told(key), path.open("wb") as file:
            async for part in (await obstore.get_async(self._store, key)).stream():
                file.write(part)

    async def read(self, key: str) -> bytes:
        """Have it, where it is small."""
        with _told(key):
            return bytes(await (await obstore.get_async(self._store, key)).bytes_async())

    async def parts(self, key: str) -> AsyncIterator[bytes]:
        """Have it in parts, where it is large."""
        with _told(key):
            async for part in (await obstore.get_async(self._store, key)).stream():
                yield bytes(part)

    async def has(self, key: str) -> bool:
        """Whether there is something under the key."""
        try:
            with _told(key):
                await obstore.head_async(self._store, key)
        except NoSuchObject:
            return False
        return True


def _store_of(settings: Settings) -> ObjectStore:
    if not settings.objects.startswith("s3://"):
        return LocalStore(Path(settings.objects).resolve(), mkdir=True)
    place = urlsplit(settings.objects)
    given = {
        "endpoint": settings.s3_endpoint,
        "region": settings.s3_region,
        "access_key_id": settings.s3_key_id,
        "secret_access_key": settings.s3_secret,
    }
    config = cast("S3Config", {name: value for name, value in given.items() if value is not None})
    return S3Store(
        place.netloc,
        prefix=place.path.strip("/") or None,
        config=config,
        client_options={"timeout": PATIENCE, "allow_http": (settings.s3_endpoint or "").startswith("http:")},
        retry_config={"max_retries": 2, "retry_timeout": PATIENCE},
    )


@contextmanager
def _told(key: str) -> Iterator[None]:
    """Every failure of a store in our words; its own may hold credentials."""
    try:
        yield
    except FileNotFoundError as error:
        raise NoSuchObject(f"there is no object {key!r}") from error
    except (PermissionError, PermissionDeniedError, UnauthenticatedError) as error:
        raise Lasting(f"the store refuses {key!r}: look at DUBBING_OBJECTS and AWS_ACCESS_KEY_ID") from error
    except (InvalidPathError, ValueError) as error:
        raise Lasting(f"{key!r} cannot be the key of an object") from error
    except (BaseError, OSError) as error:
        raise Passing(f"the store of {key!r} is away or failed ({type(error).__name__})") from error
