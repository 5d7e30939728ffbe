"""Dead letters: what died, by what it died of, and one of them with all that is known of it."""

from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.desk import letters as desk
from goatherd.desk.letter_facts import LetterChoice
from goatherd.desk.letter_returns import Acted
from goatherd.errors import InvalidArguments
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Form, Who
from goatherd.web.dashboard.letter_forms import BadForm, arguments_in, choice_in, share_in
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import go, render
from goatherd.web.dashboard.telling import Toast, trigger
from goatherd.web.dashboard.wording import counted, pretty

#: Letters on a page, and groups.
MOST, MOST_GROUPS = 50, 200

router = APIRouter()
PAGE = Page(title="Dead letters", path="/dead", key="d", icon="dead", router=router)


@router.get("/dead")
async def groups(request: Request, app: App, error: str = "", task: str = "", queue: str = "") -> HTMLResponse:
    """All of them, grouped by task and error."""
    choice = choice_in(request.query_params)
    found = await desk.letter_groups(app, choice)
    every = found if choice == LetterChoice() else await desk.letter_groups(app)
    tasks = sorted({group.task for group in every.groups if group.task})
    queues = sorted({each.queue for each in app.definitions()})
    return render(
        request,
        "letters.html",
        found=found,
        shown=found.groups[:MOST_GROUPS],
        tasks=tasks,
        queues=queues,
        error=error,
        task=task,
        queue=queue,
    )


@router.get("/dead/groups/{id}")
async def group(request: Request, app: App, id: str, offset: int = 0) -> HTMLResponse:
    """Those that died of one error, the newest first."""
    found = await desk.letter_groups(app, LetterChoice(group=id))
    page = await desk.letters(app, LetterChoice(group=id), MOST, max(0, offset))
    about = found.groups[0] if found.groups else None
    return render(request, "letter_group.html", group=about, id=id, page=page, offset=max(0, offset), most=MOST)


@router.get("/dead/impact")
async def impact(request: Request, app: App, doing: str = "replay") -> HTMLResponse:
    """What would be done to how many, before it is done."""
    choice = choice_in(request.query_params)
    doing = "discard" if doing == "discard" else "replay"
    try:
        share = share_in(request.query_params)
    except BadForm as error:
        return render(request, "letter_impact.html", doing=doing, wrong=str(error), impact=None, acted=None)
    found = await desk.impact(app, choice, share)
    return render(
        request, "letter_impact.html", doing=doing, wrong="", impact=found, acted=None, choice=choice, share=share
    )  # fmt: skip


@router.post("/dead/replay")
async def replay(request: Request, app: App, who: Who, form: Form) -> Response:
    """Put those that were seen back to work."""
    choice, share = choice_in(form), share_in(form)
    acted = await act(
        who,
        app,
        "letter.replay",
        _target(choice),
        lambda: desk.replay(app, choice, share),
        _told(form),
        came_to=Acted.counts,
    )
    return _acted(request, "replay", acted)


@router.post("/dead/discard")
async def discard(request: Request, app: App, who: Who, form: Form) -> Response:
    """Delete those that were seen."""
    choice, share = choice_in(form), share_in(form)
    acted = await act(
        who,
        app,
        "letter.discard",
        _target(choice),
        lambda: desk.discard(app, choice, share),
        _told(form),
        came_to=Acted.counts,
    )
    return _acted(request, "discard", acted)


@router.get("/dead/{id:path}")
async def letter(request: Request, app: App, id: str) -> HTMLResponse:
    """One of them."""
    found = await desk.letter(app, id)
    return render(
        request, "letter.html", letter=found, edited=pretty(found.arguments), problems={}, wrong="", back=None
    )


@router.post("/dead/{id:path}/replay")
async def replay_one(request: Request, app: App, who: Who, form: Form, id: str) -> Response:
    """Put it back to work, with other arguments if they were edited; what is wrong with them is told in the form."""
    found, edited = await desk.letter(app, id), form.get("arguments")
    back, wrong, problems = None, "", {}
    try:
        arguments = None if edited is None else arguments_in(edited, found)
        details = {"job": found.job_id} | ({} if arguments is None else {"arguments": arguments})
        back = await act(
            who, app, "letter.replay", found.id, lambda: desk.replay_one(app, found.id, arguments), details
        )  # fmt: skip
    except BadForm as error:
        wrong, problems = str(error), error.problems
    except InvalidArguments as error:
        wrong, problems = f"These arguments do not fit {error.task}; nothing was sent.", error.problems
    return render(
        request,
        "letter.html",
        status=422 if wrong else 200,
        letter=found,
        edited=edited or "",
        problems=problems,
        wrong=wrong,
        back=back,
    )


@router.post("/dead/{id:path}/discard")
async def discard_one(request: Request, app: App, who: Who, id: str) -> Response:
    """Delete it."""
    found = await desk.letter(app, id)
    await act(who, app, "letter.discard", found.id, lambda: desk.discard_one(app, found.id), {"job": found.job_id})
    return go(request, f"/dead/groups/{found.group}")


def _told(form: Form) -> dict[str, str]:
    """What is noted of the form."""
    return {name: form[name] for name in ("share", "count", "percent", "seen") if form.get(name)}


def _target(choice: LetterChoice) -> str:
    named = (("group", choice.group), ("task", choice.task), ("queue", choice.queue), ("error", choice.error))
    return ", ".join(f"{name} {value}" for name, value in named if value) or "all"


def _acted(request: Request, doing: str, acted: Acted) -> Response:
    what = "put back to work" if doing == "replay" else "deleted"
    told = f"{counted(acted.done, 'dead letter')} {'was' if acted.done == 1 else 'were'} {what}."
    response = render(request, "letter_impact.html", doing=doing, wrong="", impact=None, acted=acted, told=told)
    kind: Literal["good", "plain"] = "good" if acted.done else "plain"
    response.headers.update(trigger(toast=Toast(kind, told), changed=True))
    return response
