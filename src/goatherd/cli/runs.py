"""`goatherd runs`: runs of pipelines, and what operators may do to them."""

from __future__ import annotations

from goatherd.cli.lazy import Entry, LazyGroup

runs = LazyGroup(
    "runs",
    {
        "list": Entry("goatherd.cli.runs_list:list_runs", "Show runs: how far each is, where it is, why it failed."),
        "show": Entry("goatherd.cli.runs_show:show_run", "Draw one run: its steps, and how each of them stands."),
        "retry": Entry("goatherd.cli.runs_retry:retry", "Try again what failed in a run, or go back to a step."),
        "cancel": Entry("goatherd.cli.runs_cancel:cancel", "Stop runs: nothing more of them is started."),
        "requeue-items": Entry(
            "goatherd.cli.runs_requeue:requeue", "Try again failed items and steps of many runs, oldest first."
        ),
    },
    help="""See runs of pipelines, and help those on that failed.

    A run goes through the steps of its pipeline, each once. A step that fails for good fails its run, unless the
    pipeline says what stands in for it; what was done stays on record, so a run that is tried again goes on from there.

    RUN is a run's id: the one that you chose, or one that was made, of which the last 6 or more characters are enough.

    \b
    Examples:
      goatherd runs list shop:app --state failed
      goatherd runs show shop:app video-7
      goatherd runs retry shop:app video-7
    """,
)
