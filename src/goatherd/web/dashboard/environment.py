"""The templates, and the words that they know."""

from functools import cache
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from goatherd.web.dashboard import charts, wording
from goatherd.web.dashboard.assets import address, styles
from goatherd.web.dashboard.signs import ICONS, TONES

#: What a link to the beginning of a list takes out of the query: where an earlier page of it ended.
NO_PLACE = {"at": None, "id": None, "before": None}


@cache
def environment() -> Environment:
    """All templates; whatever they show is escaped, and a name that is not there is a mistake that is told."""
    made = Environment(
        loader=PackageLoader("goatherd.web.dashboard", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": wording.number,
        "short_number": wording.short_number,
        "rate": wording.rate,
        "seconds": wording.seconds,
        "about": wording.about,
        "size": wording.size,
        "clock_time": wording.clock_time,
        "machine_time": wording.machine_time,
        "pretty": wording.pretty,
        "brief": wording.brief,
        # One part of a path: a name may have slashes and question marks of its own.
        "part": lambda name: quote(str(name), safe=""),
    }
    made.globals |= {
        "asset": address,
        "styles": styles,
        "icons": ICONS,
        "tones": TONES,
        "no_place": NO_PLACE,
        "since": wording.since,
        "line": charts.line,
        "area": charts.area,
        "bars": charts.bars,
    }
    return made
