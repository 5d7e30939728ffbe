"""Our messages as AMQP messages and back."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.messages import incoming, outgoing, own_headers
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.tables import write_table
from goatherd.model.message import Message

NOW = 1_800_000_000.0

messages = st.builds(
    Message,
    id=st.text(min_size=1, max_size=60),
    queue=st.just("mail"),
    body=st.binary(max_size=50),
    task=st.text(max_size=60),
    priority=st.integers(0, 9),
    headers=st.dictionaries(
        st.text(min_size=1, max_size=20),
        st.one_of(st.text(max_size=20), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False)),
        max_size=4,
    ),
    expires=st.one_of(st.none(), st.integers(1, 10_000).map(lambda seconds: NOW + seconds)),
)


@given(messages)
def test_a_message_is_the_same_at_the_other_end(message: Message) -> None:
    sent = outgoing(message, "", "mail", NOW, {})
    assert incoming("mail", properties.read(sent.properties), sent.body) == message


def test_the_broker_lets_it_expire_only_where_it_keeps_what_expires() -> None:
    message = Message(id="7", queue="mail", body=b"", expires=NOW + 1.5)
    assert properties.read(outgoing(message, "", "mail", NOW, {}).properties).expiration == "1500"
    kept = properties.read(outgoing(message, "", "mail", NOW, {}, expires_itself=False).properties)
    assert (kept.expiration, kept.headers["gh-expires"]) == ("", int((NOW + 1.5) * 1000))


def test_one_whose_time_has_passed_expires_at_once() -> None:
    message = Message(id="7", queue="mail", body=b"", expires=NOW - 60)
    assert properties.read(outgoing(message, "", "mail", NOW, {}).properties).expiration == "1"


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=20),
        st.one_of(
            st.none(), st.booleans(), st.integers(-(2**63), 2**64), st.floats(), st.text(max_size=9),
            st.binary(max_size=9), st.datetimes(), st.lists(st.integers(), max_size=2), st.decimals(),
        ),
        max_size=6,
    )
)  # fmt: skip
def test_what_is_kept_of_a_stranger_s_headers_can_be_sent_again(headers: dict[str, Any]) -> None:
    write_table(own_headers(headers))


def test_a_correlation_id_is_an_id_where_there_is_no_other() -> None:
    assert incoming("q", Properties(correlation_id="c"), b"").id == "c"
    assert incoming("q", Properties(correlation_id="c", message_id="m"), b"").id == "m"
