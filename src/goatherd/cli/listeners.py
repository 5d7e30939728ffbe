"""`goatherd listeners`: the queues that data wants listened to, and how that goes."""

from __future__ import annotations

from goatherd.cli.lazy import Entry, LazyGroup

listeners = LazyGroup(
    "listeners",
    {
        "list": Entry(
            "goatherd.cli.listeners_list:list_listeners", "Show the listeners of all workers, and why one ails."
        ),
        "restart": Entry("goatherd.cli.listeners_restart:restart", "Have the listener of a queue started anew."),
    },
    help="""See listeners, and start one anew.

    A task made by app.listeners(...) has a queue for each name that its source wants, and every worker a listener for
    each of these queues. One that ends is started again; one that keeps failing is tried less and less often.

    \b
    Examples:
      goatherd listeners list shop:app --unhealthy
      goatherd listeners restart shop:app matching-pvp-7
    """,
)
