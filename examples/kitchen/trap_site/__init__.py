"""A small web site on this machine that does everything to a crawler that the web does."""

from examples.kitchen.trap_site.expected import Expected
from examples.kitchen.trap_site.server import TrapSite

__all__ = ["Expected", "TrapSite"]
