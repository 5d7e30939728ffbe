"""Draw the outcome: for each setting a row of small bar charts, one for each measure that matters most."""

from collections.abc import Sequence
from html import escape

from benchmarks.report import MEASURES, Measure, Outcome, by_setting
from benchmarks.table import shown

#: What is drawn where it was measured, in this order.
DRAWN = (
    "enqueue",
    "drain",
    "drain_cpu",
    "idle_p50",
    "publish",
    "consume",
    "call_p50",
    "calls",
    "caller_cpu",
    "server_cpu",
    "fan_out",
    "idle_memory",
    "live_p50",
    "resume_p99",
)

PANEL, GAP, NAMES, MARGIN = 190, 60, 160, 20
BAR, LINE, HEADING = 14, 22, 54
OURS, THEIRS, INK, FAINT = "#c2410c", "#94a3b8", "#1e293b", "#64748b"


def svg(outcomes: Sequence[Outcome]) -> str:
    """The whole picture."""
    groups = by_setting(outcomes)
    widest = max((len(_measures(group)) for group in groups.values()), default=0)
    width = 2 * MARGIN + NAMES + widest * (PANEL + GAP)
    parts: list[str] = []
    top = MARGIN
    for setting, group in groups.items():
        parts.append(_text(MARGIN, top + 16, setting.replace("_", ", "), size=15, weight="bold"))
        parts += _row(group, top)
        top += HEADING + len(group) * LINE + 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}" viewBox="0 0 {width} {top}" '
        f'font-family="system-ui, sans-serif">\n<rect width="{width}" height="{top}" fill="white"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _measures(group: Sequence[Outcome]) -> list[Measure]:
    """Those to draw, of which somebody has a figure."""
    by_key = {measure.key: measure for measure in MEASURES}
    return [by_key[key] for key in DRAWN if any(key in outcome.median for outcome in group)]


def _row(group: Sequence[Outcome], top: int) -> list[str]:
    parts = []
    for line, outcome in enumerate(group):
        ink = OURS if outcome.entry.ours else INK
        parts.append(_text(MARGIN, top + HEADING + line * LINE + 12, outcome.contender.label, ink=ink))
    for column, measure in enumerate(_measures(group)):
        parts += _panel(measure, group, MARGIN + NAMES + column * (PANEL + GAP), top)
    return parts


def _panel(measure: Measure, group: Sequence[Outcome], left: int, top: int) -> list[str]:
    """One measure, drawn from 0: twice as long is twice as much."""
    better = "more is better" if measure.more_is_better else "less is better"
    parts = [
        _text(left, top + 16, f"{measure.title}, {measure.unit}", weight="bold"),
        _text(left, top + 34, better, size=11, ink=FAINT),
    ]
    figures = [outcome.median.get(measure.key) for outcome in group]
    longest = max(figure for figure in figures if figure is not None) or 1.0
    for line, (outcome, figure) in enumerate(zip(group, figures, strict=True)):
        if figure is None:
            continue
        at, length = top + HEADING + line * LINE, max(1.0, PANEL * figure / longest)
        fill = OURS if outcome.entry.ours else THEIRS
        parts.append(f'<rect x="{left}" y="{at}" width="{length:.1f}" height="{BAR}" rx="2" fill="{fill}"/>')
        parts.append(_text(left + length + 5, at + 12, shown(figure), size=11))
    return parts


def _text(x: float, y: float, words: str, *, size: int = 12, weight: str = "normal", ink: str = INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{ink}">{escape(words)}</text>'
    )
