"""Say the same in the other language."""

import re
from collections.abc import Sequence

import msgspec

from examples.dubbing.contract import Dubbing, Segment
from examples.dubbing.herd import database, providers
from examples.dubbing.providers.provider import Translation

#: Where a text may be parted, the best place first: after a sentence, after a part of one, between words.
PLACES = tuple(re.compile(pattern) for pattern in (r"(?<=[.!?…])\s+", r"(?<=[,;:])\s+", r"\s+"))


async def translate(segments: Sequence[Segment], task: Dubbing, limit: int) -> list[Segment]:
    """Those that have no translation get one. Raises Passing or Lasting."""
    known = await _known(task.task_id, segments)
    new = [one for one in segments if one.idx not in known]
    texts = await in_parts(
        providers.translation, [one.src_text for one in new], (task.source_language, task.target_language), limit
    )
    made = {one.idx: text for one, text in zip(new, texts, strict=True)}
    async with database.transaction() as desk:
        for idx, text in made.items():
            sql = "UPDATE segments SET mt_text = ? WHERE task_id = ? AND idx = ?"
            await desk.do(sql, text, task.task_id, idx)
    return [msgspec.structs.replace(one, mt_text={**known, **made}[one.idx]) for one in segments]


async def in_parts(
    translation: Translation, texts: Sequence[str], languages: tuple[str, str], limit: int
) -> Sequence[str]:
    """One for each text; one that is too long is translated in parts."""
    parted = [parts(text, limit) for text in texts]
    flat = [part for one in parted for part in one]
    translated = iter(await translation.translate(flat, *languages) if flat else [])
    return [" ".join(next(translated) for _ in one) for one in parted]


def parts(text: str, limit: int) -> list[str]:
    """The text in parts of at most so many characters, parted where it hurts least."""
    if len(text) <= limit:
        return [text]
    for place in PLACES:
        pieces = place.split(text)
        if len(pieces) > 1:
            return _joined([part for piece in pieces for part in parts(piece, limit)], limit)
    return [text[at : at + limit] for at in range(0, len(text), limit)]


def _joined(pieces: Sequence[str], limit: int) -> list[str]:
    """As few as may be."""
    joined: list[str] = []
    for piece in pieces:
        if joined and len(joined[-1]) + 1 + len(piece) <= limit:
            joined[-1] += f" {piece}"
        else:
            joined.append(piece)
    return joined


async def _known(task_id: str, segments: Sequence[Segment]) -> dict[int, str]:
    rows = await database.read(
        "SELECT idx, src_text, mt_text FROM segments WHERE task_id = ? AND idx BETWEEN ? AND ? AND mt_text IS NOT NULL",
        task_id, segments[0].idx, segments[-1].idx,
    )  # fmt: skip
    texts = {one.idx: one.src_text for one in segments}
    return {int(idx): str(translated) for idx, text, translated in rows if texts.get(idx) == text}
