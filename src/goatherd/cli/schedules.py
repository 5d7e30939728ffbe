"""`goatherd schedules`: when work begins by itself, and what people may do about that."""

from __future__ import annotations

from goatherd.cli.lazy import Entry, LazyGroup

schedules = LazyGroup(
    "schedules",
    {
        "list": Entry(
            "goatherd.cli.schedules_list:list_schedules", "Show the schedules: when each is due, how it went last."
        ),
        "next": Entry("goatherd.cli.schedules_next:next_ticks", "Print the next times of one schedule or of all."),
        "pause": Entry("goatherd.cli.schedules_pause:pause", "Let a schedule fire no more for now."),
        "resume": Entry("goatherd.cli.schedules_resume:resume", "Let a paused schedule fire again, from now on."),
        "trigger": Entry("goatherd.cli.schedules_trigger:trigger", "Fire a schedule now, once."),
    },
    help="""See schedules, pause and resume them, and fire one now.

    What app.cron(...), app.every(...) and app.schedules.set(...) declare is fired by `goatherd scheduler`, once for
    each tick, however many of them run.

    \b
    Examples:
      goatherd schedules list shop:app
      goatherd schedules next shop:app archive --count 10
    """,
)
