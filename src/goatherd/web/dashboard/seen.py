"""What somebody agreed to, against what would be done by now."""

from collections.abc import Mapping

from goatherd.desk.errors import NotNow
from goatherd.web.dashboard.wording import number


def check_seen(fields: Mapping[str, str], now: int, what: str) -> None:
    """See that a form was agreed to with about as much in view as it would be done to now; raises NotNow.

    `seen` of the form is how many things were told in the question. More of them by a tenth is no surprise: work goes
    on while somebody reads.
    """
    seen = fields.get("seen", "")
    if seen.isascii() and seen.isdigit() and len(seen) < 16 and now > 1.1 * int(seen) + 1:
        told = f"There are {number(now)} {what} by now, and you saw {number(int(seen))}; nothing was done."
        raise NotNow(f"{told} Look again, and repeat it if you mean all of them.")
