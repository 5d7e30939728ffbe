"""What was done and checked, as a table."""

from collections.abc import Callable
from dataclasses import dataclass

from rich.markup import escape
from rich.table import Table


class Broken(Exception):
    """Something was not as it should be: the text says what."""


def must(condition: bool, told: str) -> None:
    """Raise Broken with this text unless the condition holds."""
    if not condition:
        raise Broken(told)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    scene: str
    told: str
    held: bool


class Checklist:
    """The scenes that were played."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    @property
    def all_held(self) -> bool:
        """Whether nothing is broken, and something was played."""
        return bool(self.rows) and all(row.held for row in self.rows)

    def play(self, name: str, scene: Callable[[], str]) -> None:
        """Play one, which says what was seen; one that breaks does not keep the next ones from being played."""
        try:
            self.rows.append(Row(name, scene(), held=True))
        except Broken as error:
            self.rows.append(Row(name, str(error), held=False))
        except Exception as error:  # noqa: BLE001 - whatever it was, it is shown and counts as broken
            self.rows.append(Row(name, f"{type(error).__name__}: {error}", held=False))

    def table(self) -> Table:
        """All of it."""
        held = sum(row.held for row in self.rows)
        title = f"{held} scenes, all held" if self.all_held else f"only {held} of {len(self.rows)} scenes held"
        table = Table(title=title, title_justify="left")
        table.add_column("", width=1)
        table.add_column("a user …", style="bold")
        table.add_column("what was seen and checked")
        for row in self.rows:
            table.add_row("[green]✓[/]" if row.held else "[red]✗[/]", escape(row.scene), escape(row.told))
        return table
