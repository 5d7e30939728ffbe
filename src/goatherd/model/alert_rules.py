"""What becomes of notices: when they begin, are told, told again and over. Pure, so that it can be tried on all."""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

import msgspec

from goatherd.model.alert_board import Board, Key, News, Notice, Outlook, Sighting

#: Seconds between two tries to tell the same sink: the first and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 300.0
#: Seconds after which a sink that cannot be told is given up, until there is something new.
PATIENCE = 6 * 3600.0
#: Seconds after which what nobody looks at any more counts as over.
FORGOTTEN = 86_400.0
#: A sighting is written down anew after this part of the time after which it would be over.
FRESH = 0.25

#: Which sinks were told which news.
Told: TypeAlias = Mapping[News, Collection[str]]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """When somebody is told."""

    #: All who are to be told.
    sinks: tuple[str, ...]
    #: Seconds after which what still lasts is told again; 0 means never.
    every: float
    #: Seconds for which a condition must not be seen before it is over.
    quiet: float


class Errand(msgspec.Struct, frozen=True):
    """Something to tell, and whom."""

    notice: Notice
    sinks: tuple[str, ...]


def judged(board: Board, outlook: Outlook, now: float, rules: Rules) -> Board:
    """The board after a look: notices begin, are owed to sinks, and end."""
    lasting = {notice.key: notice for notice in board.notices if notice.ended is None}
    sighted = {sighting.key: sighting for sighting in outlook.sightings}
    seen = [_seen(lasting.get(key), sighting, now, rules) for key, sighting in sighted.items()]
    # An end that a sink has missed must not come behind the next beginning, or it would look as if that were over.
    begun = {notice.key for notice in seen if notice.told is not None}
    over = [notice for notice in board.notices if notice.ended is not None and notice.key not in begun]
    unseen = _unseen(lasting, sighted, outlook, now, rules)
    kept = [notice for notice in (*over, *unseen, *seen) if notice.ended is None or notice.owed]
    # In an order that does not depend on who looks, so that nothing is written where nothing has changed.
    return Board(tuple(sorted(kept, key=lambda notice: (notice.key, notice.ended or math.inf))))


def _seen(known: Notice | None, sighting: Sighting, now: float, rules: Rules) -> Notice:
    notice = known or Notice(
        kind=sighting.kind, subject=sighting.subject, message=sighting.message, since=now - sighting.lasted, seen=now
    )
    if now - notice.seen >= rules.quiet * FRESH:
        notice = msgspec.structs.replace(notice, seen=now, message=sighting.message)
    if _is_due(notice, sighting.after, now, rules):
        return msgspec.structs.replace(
            notice, seen=now, told=now, message=sighting.message, owed=rules.sinks, try_at=0.0, tries=0
        )
    return notice


def _is_due(notice: Notice, after: float, now: float, rules: Rules) -> bool:
    if notice.told is None:
        return now - notice.since >= after
    return 0 < rules.every <= now - notice.told


def _unseen(
    lasting: Mapping[Key, Notice], sighted: Collection[Key], outlook: Outlook, now: float, rules: Rules
) -> Iterator[Notice]:
    for key, notice in lasting.items():
        if key in sighted:
            continue
        silent = now - notice.seen
        if silent < (rules.quiet if notice.kind in outlook.kinds else max(FORGOTTEN, rules.quiet)):
            yield notice
        elif notice.told is not None:
            yield msgspec.structs.replace(notice, ended=now, owed=rules.sinks, try_at=0.0, tries=0)


def claimed(board: Board, now: float, hold: float, sinks: Collection[str]) -> tuple[Board, list[Errand]]:
    """What this process tells now, oldest first; for `hold` seconds nobody else does."""
    notices, errands = [], []
    for notice in board.notices:
        ours = tuple(sink for sink in notice.owed if sink in sinks)
        if not ours or notice.try_at > now:
            notices.append(notice)
            continue
        errands.append(Errand(notice, ours))
        notices.append(msgspec.structs.replace(notice, try_at=now + hold))
    errands.sort(key=lambda errand: errand.notice.owed_since)
    return Board(tuple(notices)), errands


def settled(board: Board, errands: Collection[Errand], told: Told, now: float) -> Board:
    """The board after some were told; what has changed meanwhile is still owed to all."""
    ran = {errand.notice.news for errand in errands}
    notices = [_after_telling(notice, told, now) if notice.news in ran else notice for notice in board.notices]
    return Board(tuple(notice for notice in notices if notice.ended is None or notice.owed))


def _after_telling(notice: Notice, told: Told, now: float) -> Notice:
    owed = tuple(sink for sink in notice.owed if sink not in told.get(notice.news, ()))
    pause = min(FIRST_PAUSE * 2**notice.tries, LONGEST_PAUSE)
    return msgspec.structs.replace(notice, owed=owed, tries=notice.tries + 1, try_at=now + pause if owed else 0.0)


def without_hopeless(board: Board, now: float) -> tuple[Board, list[Notice]]:
    """The board without what could not be told for very long, and what that is."""
    hopeless = [notice for notice in board.notices if notice.owed and now - notice.owed_since > PATIENCE]
    if not hopeless:
        return board, []
    kept = [
        msgspec.structs.replace(notice, owed=()) if notice in hopeless else notice
        for notice in board.notices
        if notice.ended is None or notice not in hopeless
    ]
    return Board(tuple(kept)), hopeless
