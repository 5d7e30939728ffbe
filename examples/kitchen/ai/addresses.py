"""Where a picture is: which addresses are read at all, and what they mean.

Callers choose the address, so nothing but a bucket's object or a file of one folder is ever read: not a page on the
internal network, and not a file next to the folder.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, quote, unquote, urlsplit

from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.settings import Settings

#: bucket.s3.region.amazonaws.com, or s3.region.amazonaws.com with the bucket in the path.
_AMAZON = re.compile(r"(?:(?P<bucket>[a-z0-9][a-z0-9.-]+)\.)?s3(?:[.-](?:dualstack\.)?[a-z0-9-]+)?\.amazonaws\.com")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,62}", re.IGNORECASE)


@dataclass(frozen=True)
class S3Object:
    """An object in a bucket."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{quote(self.key)}"


@dataclass(frozen=True)
class LocalFile:
    """A file below the folder that was opened for pictures."""

    folder: Path
    path: str

    def __str__(self) -> str:
        return f"the file {quote(self.path)}"


def locate(url: str, settings: Settings) -> S3Object | LocalFile:
    """What an address means; raises CannotAnalyse for one that is not read."""
    try:
        parts = urlsplit(url.strip())
    except ValueError as error:
        raise _refused() from error
    if parts.scheme == "file":
        return _local_file(parts, settings.picture_folder)
    if parts.scheme == "s3":
        found = _object(parts.netloc, parts.path)
    elif parts.scheme in ("http", "https"):
        found = _object_at_http(parts, settings.s3_endpoint)
    else:
        raise _refused()
    if settings.picture_buckets and found.bucket not in settings.picture_buckets:
        raise CannotAnalyse("picture_denied", f"The bucket {found.bucket!r} is not one of those that are read here.")
    return found


def _object_at_http(parts: SplitResult, endpoint: str | None) -> S3Object:
    """The object behind the web address of an S3 server; it is read with our own rights, whatever the query says."""
    if endpoint is not None and parts.netloc == urlsplit(endpoint).netloc:
        return _object(*_first_of(parts.path))
    amazon = _AMAZON.fullmatch(parts.netloc.lower()) if parts.scheme == "https" else None
    if amazon is None:
        raise _refused()
    return _object(amazon["bucket"], parts.path) if amazon["bucket"] else _object(*_first_of(parts.path))


def _first_of(path: str) -> tuple[str, str]:
    bucket, _, key = path.removeprefix("/").partition("/")
    return bucket, key


def _object(bucket: str, path: str) -> S3Object:
    key = unquote(path).removeprefix("/")
    if not _BUCKET.fullmatch(bucket) or not key:
        raise CannotAnalyse("bad_request", "The address of the picture must be s3://bucket/key, with both of them.")
    return S3Object(bucket, key)


def _local_file(parts: SplitResult, opened: str | None) -> LocalFile:
    if opened is None:
        raise CannotAnalyse(
            "picture_denied", "Files are not read here; set AI_PICTURE_FOLDER to the folder with the pictures."
        )
    folder = Path(opened).resolve()
    try:
        path = Path(unquote(parts.path)).resolve()
    except (OSError, ValueError) as error:  # a loop of links, a null character
        raise CannotAnalyse("bad_request", "The address of the picture is not a path of a file.") from error
    if parts.netloc not in ("", "localhost") or not path.is_relative_to(folder):
        raise CannotAnalyse("picture_denied", "The file is not below the folder for pictures (AI_PICTURE_FOLDER).")
    return LocalFile(folder, str(path.relative_to(folder)))


def _refused() -> CannotAnalyse:
    return CannotAnalyse(
        "bad_request",
        "The address of the picture must be s3://bucket/key, the https address of an object on Amazon S3 or on the "
        "server of AWS_ENDPOINT_URL, or file:// below AI_PICTURE_FOLDER.",
    )
