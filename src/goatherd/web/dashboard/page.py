"""A page of the dashboard, as the menu and the keyboard know it."""

from dataclasses import dataclass

from fastapi import APIRouter


@dataclass(frozen=True, kw_only=True)
class Page:
    """One entry of the menu, with all that is below its path."""

    title: str
    #: Below the place where the dashboard is mounted; the overview has "/".
    path: str
    #: The key that leads there, after g.
    key: str
    #: A name in `icon()` of the macros.
    icon: str
    router: APIRouter
    #: Entries of the menu that stand together.
    group: str = "Work"

    def is_at(self, path: str) -> bool:
        """Whether somebody who looks at that path is on this page."""
        return path == self.path or (self.path != "/" and path.startswith(self.path + "/"))
