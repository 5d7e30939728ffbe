"""Numbers and names that fit into a few characters."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

_UNITS = ((1e9, "G"), (1e6, "M"), (1e4, "k"))


def short(count: float | None) -> str:
    """At most five characters: 9999, 12.3k, 4.5M; `-` for what is not known."""
    if count is None:
        return "-"
    for size, unit in _UNITS:
        if abs(count) >= size:
            scaled = count / (1000 if unit == "k" else size)
            return f"{scaled:.0f}{unit}" if abs(scaled) >= 100 else f"{scaled:.1f}{unit}"
    return f"{count:.0f}"


def rate(per_second: float | None, *, signed: bool = False) -> str:
    """The same for rates, of which small ones have a digit more."""
    if per_second is None:
        return "-"
    told = short(per_second) if abs(per_second) >= 10 else f"{per_second:.1f}"
    if told in ("0.0", "-0.0"):
        return "0"
    return f"+{told}" if signed and per_second > 0 else told


def cut(text: str, width: int) -> str:
    """What fits into so many columns, and that there is more; some characters take two."""
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)).rstrip() + "…"
