"""Fetch a picture from where it is stored, within limits of size and time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, cast

import obstore
from obstore.exceptions import BaseError, InvalidPathError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, ObjectStore, S3Store

from examples.kitchen.ai.addresses import LocalFile, S3Object, locate
from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.image_header import ImageHeader, read_header
from examples.kitchen.ai.settings import Settings

if TYPE_CHECKING:
    from obstore.store import S3Config


@dataclass(frozen=True)
class Picture:
    """A picture, and what its first bytes tell."""

    content: bytes
    header: ImageHeader

    @property
    def facts(self) -> dict[str, object]:
        """What can be said of it without looking at it."""
        return {
            "media_type": self.header.media_type,
            "bytes": len(self.content),
            "width": self.header.width,
            "height": self.header.height,
            "sha256": sha256(self.content).hexdigest(),
        }


class Pictures:
    """Reads pictures from S3 and its like, and from one folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # A store keeps connections, but a caller may name any bucket, so only a few stores are kept.
        self._bucket = lru_cache(maxsize=16)(self._open_bucket)

    async def fetch(self, url: str) -> Picture:
        """The picture at an address; raises CannotAnalyse."""
        place = locate(url, self._settings)
        async with self._telling_errors(place):
            content = await self._read(place)
        header = read_header(content)
        if header is None:
            raise CannotAnalyse("not_a_picture", f"What is at {place} is not a PNG, JPEG, GIF or WebP picture.")
        return Picture(content, header)

    async def _read(self, place: S3Object | LocalFile) -> bytes:
        store, key = self._store_of(place)
        found = await obstore.get_async(store, key)
        most = self._settings.max_picture
        if found.meta["size"] > most:
            raise CannotAnalyse("too_large", f"The picture at {place} has {found.meta['size']} bytes; {most} may be.")
        return bytes(await found.bytes_async())

    def _store_of(self, place: S3Object | LocalFile) -> tuple[ObjectStore, str]:
        if isinstance(place, S3Object):
            return self._bucket(place.bucket), place.key
        if not (place.folder / place.path).is_file():  # a pipe would be waited for
            raise FileNotFoundError
        return LocalStore(place.folder), place.path

    def _open_bucket(self, bucket: str) -> S3Store:
        """Credentials that are not given here come from the machine: other AWS_ variables, or its role."""
        settings = self._settings
        limit = timedelta(seconds=settings.picture_timeout)
        given = {
            "endpoint": settings.s3_endpoint,
            "region": settings.s3_region,
            "access_key_id": settings.s3_key_id,
            "secret_access_key": settings.s3_secret,
            "session_token": settings.s3_session_token,
        }
        config = cast("S3Config", {name: value for name, value in given.items() if value is not None})
        return S3Store(
            bucket,
            config=config,
            client_options={"timeout": limit, "allow_http": (settings.s3_endpoint or "").startswith("http:")},
            retry_config={"max_retries": 2, "retry_timeout": limit},
        )

    @asynccontextmanager
    async def _telling_errors(self, place: S3Object | LocalFile) -> AsyncIterator[None]:
        """Every failure of a store as one that a caller understands; the store's own text may hold credentials."""
        limit = self._settings.picture_timeout
        try:
            async with asyncio.timeout(limit):
                yield
        except FileNotFoundError as error:
            raise CannotAnalyse("picture_missing", f"There is no picture at {place}.") from error
        except (PermissionError, PermissionDeniedError, UnauthenticatedError) as error:
            text = f"The storage refuses to show {place}: look at AWS_ACCESS_KEY_ID and at the rights of its owner."
            raise CannotAnalyse("picture_denied", text) from error
        except (InvalidPathError, ValueError) as error:
            raise CannotAnalyse("bad_request", f"{place} cannot be the name of a picture.") from error
        except TimeoutError as error:
            text = f"The picture at {place} did not come within {limit:g} s; try again, or look at AWS_ENDPOINT_URL."
            raise CannotAnalyse("timed_out", text) from error
        except (BaseError, OSError) as error:
            text = f"The storage of {place} cannot be reached or failed; look at AWS_ENDPOINT_URL and AWS_REGION."
            raise CannotAnalyse("unreachable", text) from error
