"""Messages of a plain pika program are jobs of ours."""

import pytest

from goatherd import Context, DeadLetter, Goatherd, Retry
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import Told, letters_of

pytestmark = pytest.mark.servers


@pytest.fixture
def app(url: str) -> Goatherd:
    return Goatherd("kitchen", broker_url=url, retry=Retry(1, base=0.1))


async def test_a_json_object_is_the_arguments(app: Goatherd, pika: PikaProgram) -> None:
    told = Told()

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str, guests: int = 1) -> None:
        told((dish, guests))

    async with app.serve("worker"):
        pika.send("orders", {"dish": "soup", "guests": 2})
        pika.send("orders", {"dish": "bread"})
        assert [await told.next(), await told.next()] == [("soup", 2), ("bread", 1)]


async def test_the_id_of_the_message_is_the_job_s_and_lives_on_in_retries(app: Goatherd, pika: PikaProgram) -> None:
    told = Told()

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(ctx: Context, dish: str) -> None:
        told((ctx.job_id, ctx.attempt))
        if ctx.attempt == 1:
            raise ConnectionError("no gas")

    async with app.serve("worker"):
        pika.send("orders", {"dish": "soup"}, message_id="order-7", headers={"tenant": "north"})
        assert [await told.next(), await told.next()] == [("order-7", 1), ("order-7", 2)]


async def test_what_was_sent_before_our_first_start_is_done_too(app: Goatherd, pika: PikaProgram) -> None:
    pika.channel.queue_declare("orders", durable=True)
    pika.send("orders", {"dish": "soup"})
    told = Told()

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str) -> None:
        told(dish)

    async with app.serve("worker"):
        assert await told.next() == "soup"
        assert pika.channel.queue_declare("orders", durable=True).method.consumer_count == 1


async def test_one_positional_argument_is_the_whole_body(app: Goatherd, pika: PikaProgram) -> None:
    told = Told()

    @app.task(queue=app.queue("readings", format="plain"))
    async def store(values: list[float], /) -> None:
        told(values)

    async with app.serve("worker"):
        pika.send("readings", [20.5, 21])
        assert await told.next() == [20.5, 21.0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"\xff\xfe no JSON", "unparsable"),
        (b"", "unparsable"),
        (b'{"dish": "soup"', "unparsable"),
        (b'{"dish": 7}', "invalid"),
        (b'["soup"]', "invalid"),
    ],
)
async def test_what_cannot_be_a_job_is_a_dead_letter_with_its_bytes(
    app: Goatherd, pika: PikaProgram, body: bytes, reason: str
) -> None:
    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str) -> None: ...

    letters = letters_of(app)
    async with app.serve("worker"):
        pika.send("orders", body, message_id="odd", content_type="text/plain", headers={"tenant": "north"})
        letter: DeadLetter = await letters.next()
        assert (letter.reason, letter.body, letter.queue, letter.job_id) == (reason, body, "orders", "odd")


async def test_an_envelope_written_by_hand_is_a_job(app: Goatherd, pika: PikaProgram) -> None:
    told = Told()

    @app.task
    async def cook(ctx: Context, dish: str) -> None:
        told((ctx.job_id, dish))

    async with app.serve("worker"):
        pika.send("kitchen", {"task_id": "by-hand", "step": "cook", "payload": {"dish": "soup"}})
        assert await told.next() == ("by-hand", "soup")


async def test_headers_that_only_others_understand_do_no_harm(app: Goatherd, pika: PikaProgram) -> None:
    told = Told()

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str) -> None:
        told(dish)

    odd = {"list": [1, "two", None], "table": {"deep": True}, "big": 2**40, "gh-failures": "many", "gh-due": "soon"}
    async with app.serve("worker"):
        pika.send(
            "orders", {"dish": "soup"}, headers=odd, priority=200, expiration="60000", timestamp=1, user_id="guest"
        )
        assert await told.next() == "soup"


@pytest.mark.parametrize("remembered", [256, 0], ids=["from memory", "from the queue"])
async def test_every_dead_letter_of_many_is_told(
    app: Goatherd, pika: PikaProgram, monkeypatch: pytest.MonkeyPatch, remembered: int
) -> None:
    """Also when each must be looked for in the queue, where only one can look at a time."""
    monkeypatch.setattr("goatherd.adapters.rabbitmq.announced.MOST", remembered)

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str) -> None: ...

    letters = letters_of(app)
    bodies = {f"no JSON {number}".encode() for number in range(40)}
    async with app.serve("worker"):
        for body in bodies:
            pika.send("orders", body)
        assert {(await letters.next()).body for _ in bodies} == bodies
