"""`goatherd topology`: what the broker should have, what it has, and how to bring both together."""

from __future__ import annotations

from typing import Any

import click

from goatherd.cli.lazy import Entry, LazyGroup


class TopologyGroup(LazyGroup):
    """Here exit code 2 says that something differs, so that whoever uses a command wrongly gets 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was typed."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.exit_code = 1  # type: ignore[misc]  # click reads it from the instance
            raise


topology = TopologyGroup(
    "topology",
    {
        "show": Entry("goatherd.cli.topology_show:show", "Show what the app wants its broker to have."),
        "plan": Entry("goatherd.cli.topology_plan:plan", "Show in what the broker differs; exit code 2 if it does."),
        "apply": Entry("goatherd.cli.topology_apply:apply", "Mend what differs, without losing a message."),
        "export": Entry("goatherd.cli.topology_export:export", "Write it as Kubernetes YAML or as definitions.json."),
        "import": Entry("goatherd.cli.topology_import:import_file", "Turn a file into YAML for the app to load."),
        "diff": Entry("goatherd.cli.topology_diff:diff", "Compare a file with the app, or with the broker."),
    },
    help="""See and mend the exchanges, queues, bindings and policies of a RabbitMQ.

    There is one definition: what the tasks, pipelines, calls and listeners of the app need, and what app.topology
    says besides, also in files that it loads. These commands compare it with the broker, argument by argument. A
    program with GOATHERD_DECLARE=check does the same when it starts, and refuses to start if something differs. For
    such programs say --declare check, unless the variable is set here, too.

    \b
    Examples:
      goatherd topology plan shop:app             what differs?
      goatherd topology apply shop:app            mend it
      goatherd topology apply shop:app --declare check
      goatherd topology export shop:app > topology.yaml
      goatherd topology diff shop:app topology.yaml
    """,
)
