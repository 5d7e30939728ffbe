"""A trace in the headers of a message, and in the text of a run."""

from hypothesis import given
from hypothesis import strategies as st

from goatherd.model.trace_context import LONGEST, carrier_in, joined, parted

VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1)
#: Baggage may travel where nobody records a trace.
CARRIERS = st.fixed_dictionaries({}, optional={"traceparent": VALUES, "tracestate": VALUES, "baggage": VALUES})
#: Ids may be chosen by somebody who wants to be taken for a trace.
IDS = st.text() | st.builds("{}\ntraceparent: {}".format, st.text(), st.text())


@given(IDS, CARRIERS)
def test_what_is_joined_can_be_parted(trace_id: str, carrier: dict[str, str]) -> None:
    assert parted(joined(trace_id, carrier)) == (trace_id, carrier)


@given(st.text().filter(lambda text: "\ntraceparent: " not in text))
def test_an_id_alone_is_only_an_id(trace_id: str) -> None:
    assert joined(trace_id, {}) == trace_id
    assert parted(trace_id) == (trace_id, {})


def test_headers_of_a_message() -> None:
    assert carrier_in({"traceparent": "a", "tracestate": "b", "baggage": 7, "gh-failures": 1}) == {
        "traceparent": "a",
        "tracestate": "b",
    }
    assert carrier_in({"tracestate": "b"}) == {}
    assert carrier_in({"baggage": "b"}) == {"baggage": "b"}


def test_a_header_that_is_too_long_is_none() -> None:
    """The broker takes only so much, and what is made of it may be logged."""
    assert carrier_in({"traceparent": "a", "tracestate": "b" * LONGEST, "baggage": "c" * (LONGEST + 1)}) == {
        "traceparent": "a",
        "tracestate": "b" * LONGEST,
    }
