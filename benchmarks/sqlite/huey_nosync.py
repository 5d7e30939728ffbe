"""Huey without syncs: a power cut may lose jobs or break the file."""

from benchmarks.contender import Contender, Promise
from benchmarks.sqlite.huey_fsync import HueyContender

CONTENDER: Contender = HueyContender(
    label="huey, no sync",
    promise=Promise(delivery="at most once", synced=False, note="never syncs"),
    fsync=False,
)
