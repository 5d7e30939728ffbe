"""Dead letters: what died and of what, all about one, and putting them back to work."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from pydantic import Field

from goatherd.desk import letters as desk
from goatherd.desk.letter_facts import LetterFacts, LetterGroups, LetterLine
from goatherd.desk.letter_returns import Acted
from goatherd.desk.letter_shares import Share
from goatherd.desk.letters import Impact, Replayed
from goatherd.web.api.asking import USUAL, Body, Cursor, Limit, Name, check_arguments
from goatherd.web.api.doing import Done
from goatherd.web.api.letter_wishes import MOST, Choice, LetterWish
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who

router = APIRouter()


class LetterList(Listed[LetterLine]):
    """A page of dead letters, the newest first."""

    count: int = Field(description="How many are meant, of those that were seen.")
    complete: bool = Field(description="Whether all were seen; at most 10,000 are.")
    at: datetime = Field(description="When they were seen: give it back as `failed_before`.")


class Edit(Body):
    """How to put a letter back."""

    arguments: dict[str, Any] | None = Field(
        None, description="Other arguments, all by name; secrets that are left hidden are put back. None: as it was."
    )


@router.get("/dead-letters", summary="Dead letters, the newest first", responses=NAMED)
async def list_dead_letters(app: App, choice: Choice, limit: Limit = USUAL, cursor: Cursor = None) -> LetterList:
    """Those that fit all that is said."""
    offset = offset_in(cursor)
    found = await desk.letters(app, choice, limit + 1, offset)
    page = page_of([None] * offset + list(found.letters), offset, limit)
    return LetterList(**page, count=found.count, complete=found.complete, at=found.at)


@router.get("/dead-letters/groups", summary="What died, by what it died of")
async def list_dead_letter_groups(app: App, choice: Choice) -> LetterGroups:
    """By task and error, numbers and ids in its message aside; the largest group first."""
    return await desk.letter_groups(app, choice)


@router.get("/dead-letters/impact", summary="What an action would be done to")
async def get_dead_letter_impact(
    app: App,
    choice: Choice,
    count: Annotated[int | None, Query(ge=1, le=MOST)] = None,
    percent: Annotated[int | None, Query(ge=1, le=100)] = None,
) -> Impact:
    """How many dead letters are meant, of which tasks, and how many go into lanes; nothing is done."""
    if count is not None and percent is not None:
        raise HTTPException(422, "Give a count or a percentage of the dead letters, not both.")
    return await desk.impact(app, choice, Share(count=count, percent=percent))


@router.post("/dead-letters/replay", summary="Put dead letters back to work", responses=ACTING)
async def replay_dead_letters(app: App, who: Who, wish: LetterWish) -> Acted:
    """The oldest first, for some seconds: while `left` is not 0, repeat it."""
    return await act(
        who,
        app,
        "letter.replay",
        "dead letters",
        lambda: desk.replay(app, wish.choice, wish.share),
        wish.told(),
        came_to=Acted.counts,
    )


@router.post("/dead-letters/discard", summary="Delete dead letters for good", responses=ACTING)
async def discard_dead_letters(app: App, who: Who, wish: LetterWish) -> Acted:
    """The oldest first, for some seconds: while `left` is not 0, repeat it."""
    return await act(
        who,
        app,
        "letter.discard",
        "dead letters",
        lambda: desk.discard(app, wish.choice, wish.share),
        wish.told(),
        came_to=Acted.counts,
    )


@router.get("/dead-letters/{id:path}", summary="One dead letter", responses=NAMED)
async def get_dead_letter(app: App, id: Name) -> LetterFacts:
    """By its id, the end of it, or its job's id; secrets are left out."""
    return await desk.letter(app, id)


@router.post("/dead-letters/{id:path}/replay", summary="Put one dead letter back to work", responses=NAMED | ACTING)
async def replay_dead_letter(app: App, who: Who, id: Name, edit: Edit | None = None) -> Replayed:
    """As it was, or with other arguments, which are checked before."""
    arguments = edit.arguments if edit is not None else None
    if arguments is not None:
        check_arguments(id, arguments)
    told = {"edited": arguments is not None}
    return await act(who, app, "letter.replay", id, lambda: desk.replay_one(app, id, arguments), told)


@router.post("/dead-letters/{id:path}/discard", summary="Delete one dead letter for good", responses=NAMED | ACTING)
async def discard_dead_letter(app: App, who: Who, id: Name) -> Done:
    """It cannot be brought back."""
    await act(who, app, "letter.discard", id, lambda: desk.discard_one(app, id))
    return Done.of("letter.discard", id, 1)
