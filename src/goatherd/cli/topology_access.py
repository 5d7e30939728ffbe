"""The definition of an app, and the broker that it is compared with; without opening the app."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from goatherd.cli.output import console, without_password
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.definition import Definition
    from goatherd.model.difference import Difference
    from goatherd.model.survey import Survey

Declare: TypeAlias = Literal["create", "check", "never"]
#: The exit code that says that something differs.
DRIFT = 2


@dataclass(frozen=True, kw_only=True)
class Looked:
    """One look at the broker with the eyes of a definition."""

    definition: Definition
    survey: Survey
    differences: Sequence[Difference]


def for_app(function: Callable[..., Any]) -> Callable[..., Any]:
    """Which app a command is for, as `target`, and for which of its programs, as `declare`."""
    option = click.option(
        "--declare",
        type=click.Choice(["create", "check", "never"]),
        help="For programs with this setting; that of the app if it is not given. With check and never they make "
        "nothing, so queues for delays and for listeners must be there, too.",
    )
    return target_argument(option(function))


def app_of(target: str, declare: Declare | None) -> Goatherd:
    """The app as the programs have it that are meant; raises UsageError, Failed or SettingsError."""
    app = load_app(target)
    if declare is not None:
        import msgspec

        # Whoever looks does not refuse to; apart from that both want the same.
        app.settings = msgspec.structs.replace(app.settings, declare="never" if declare == "check" else declare)
    return app


async def definition_of(app: Goatherd) -> Definition:
    """All that the app wants; raises DefinitionError, SettingsError or Unavailable."""
    from goatherd.definition import whole_definition

    return await whole_definition(app)


async def look(app: Goatherd) -> Looked:
    """Compare the broker with the app; raises DefinitionError, SettingsError or Unavailable."""
    definition = await definition_of(app)
    return await look_for(app, definition)


async def look_for(app: Goatherd, definition: Definition) -> Looked:
    """Compare the broker with a definition; nothing is made or changed."""
    from goatherd.wiring import open_plumbing

    async with open_plumbing(app.settings) as plumbing:
        survey = await plumbing.survey(definition.blueprint)
    return Looked(definition=definition, survey=survey, differences=definition.differences(survey))


def broker_of(app: Goatherd) -> str:
    """The address of the broker, to be shown."""
    return without_password(app.settings.broker_url)


def tell_unseen(survey: Survey, undone: str = "compared") -> None:
    """Say what the broker did not tell, so that nobody takes silence for sameness; `undone` is what it is not."""
    if not survey.unseen:
        return
    from rich.text import Text

    lines = "".join(f"\n  - {each}" for each in survey.unseen)
    console(stderr=True).print(Text(f"Not seen, and so not {undone}:{lines}", "yellow"), soft_wrap=True)
