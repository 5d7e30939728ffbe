"""`goatherd lanes`: jobs that share a key, and what operators may do to them."""

from __future__ import annotations

from goatherd.cli.lazy import Entry, LazyGroup

lanes = LazyGroup(
    "lanes",
    {
        "list": Entry(
            "goatherd.cli.lanes_list:list_lanes", "Show the lanes: who has each, what waits, why it is held."
        ),
        "show": Entry("goatherd.cli.lanes_show:show_lane", "Show everything about one lane, and what waits in it."),
        "retry": Entry("goatherd.cli.lanes_retry:retry", "Try the first job of a lane again, now."),
        "skip": Entry("goatherd.cli.lanes_skip:skip", "Put the first job of a lane to the dead letters, and go on."),
        "unblock": Entry("goatherd.cli.lanes_unblock:unblock", "Take a lane from the worker that has it."),
    },
    help="""See lanes, and help those on that are held.

    The jobs of a task with a key are done in order: those that share the key are a lane, of which only the first is
    worked on. A lane whose first job is given up is held: nothing behind it is done until you retry the job or skip it.

    \b
    Examples:
      goatherd lanes list shop:app --held
      goatherd lanes retry shop:app post_id=7
    """,
)
