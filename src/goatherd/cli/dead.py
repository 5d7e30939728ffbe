"""`goatherd dead`: the dead letters of an app."""

from __future__ import annotations

from goatherd.cli.lazy import Entry, LazyGroup

dead = LazyGroup(
    "dead",
    {
        "list": Entry("goatherd.cli.dead_list:list_letters", "Show what died, grouped by error."),
        "show": Entry("goatherd.cli.dead_show:show_letter", "Show everything about one dead letter."),
        "replay": Entry("goatherd.cli.dead_replay:replay", "Put dead letters back to work, as they are or edited."),
        "discard": Entry("goatherd.cli.dead_discard:discard", "Delete dead letters for good."),
    },
    help="""See, replay and discard dead letters: jobs that will not be tried again by themselves.

    A dead letter keeps the whole job, the error with its traceback, and the times. Nothing happens to it until you
    replay or discard it.

    \b
    Examples:
      goatherd dead list shop:app
      goatherd dead replay shop:app --task send_mail --error ConnectionError
    """,
)
