from xml.etree import ElementTree

from benchmarks.plot import OURS, PANEL, svg
from tests.unit.benchmarks.test_report import OUTCOMES

SVG = "{http://www.w3.org/2000/svg}"


def test_the_longest_bar_fills_its_panel_and_the_others_are_in_proportion() -> None:
    picture = ElementTree.fromstring(svg(OUTCOMES))
    bars = [bar for bar in picture.iter(f"{SVG}rect") if bar.get("height") == "14"]
    drain = [float(bar.get("width", "")) for bar in bars[: len(OUTCOMES)]]
    assert drain == [PANEL, 1.0, round(PANEL / 9, 1), round(PANEL / 3, 1), round(PANEL * 250 / 900, 1)]
    assert bars[0].get("fill") == OURS


def test_every_contender_is_named_and_nothing_breaks_the_file() -> None:
    words = [text.text for text in ElementTree.fromstring(svg(OUTCOMES)).iter(f"{SVG}text")]
    assert {outcome.contender.label for outcome in OUTCOMES} <= set(words)


def test_a_run_without_outcomes_is_an_empty_picture() -> None:
    assert ElementTree.fromstring(svg([])).tag == f"{SVG}svg"
