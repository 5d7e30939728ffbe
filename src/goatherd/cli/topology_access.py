"""The definition of an app, and the broker that it is compared with; without opening the app."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goatherd.cli.output import console, without_password

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.definition import Definition
    from goatherd.model.difference import Difference
    from goatherd.model.survey import Survey

#: The exit code that says that something differs.
DRIFT = 2


@dataclass(frozen=True, kw_only=True)
class Looked:
    """One look at the broker with the eyes of a definition."""

    definition: Definition
    survey: Survey
    differences: Sequence[Difference]


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


def tell_unseen(survey: Survey) -> None:
    """Say what the broker did not tell, so that nobody takes silence for sameness."""
    if not survey.unseen:
        return
    from rich.text import Text

    lines = "".join(f"\n  - {each}" for each in survey.unseen)
    console(stderr=True).print(Text(f"Not seen, and so not compared:{lines}", "yellow"), soft_wrap=True)
