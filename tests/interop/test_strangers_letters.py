"""What others do to messages, and the broker itself, ends among our dead letters with the right reason."""

import asyncio

import pytest
from pika import BasicProperties

from goatherd import DeadLetter, GiveUp, Goatherd, Unavailable
from goatherd.model.dead_letter import LetterFilter
from scripts.servers.management import Management
from tests.interop.pika_program import PikaProgram
from tests.interop.stage import letters_of, stored_letters

pytestmark = pytest.mark.servers


@pytest.fixture
def app(url: str) -> Goatherd:
    return Goatherd("shop", broker_url=url)


async def test_what_another_consumer_rejects(app: Goatherd, pika: PikaProgram) -> None:
    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    async with app:
        job_id = await send_mail.send("a@b.c")
        seen = pika.take("mail", ack=False)
        pika.channel.basic_reject(seen.method.delivery_tag, requeue=False)
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
        [letter] = await stored_letters(app)
    assert (letter.reason, letter.queue, letter.job_id, letter.task) == ("rejected", "mail", job_id, "send_mail")
    assert (letter.arguments, letter.body) == ({"to": "a@b.c"}, seen.body)
    assert "a consumer rejected it" in letter.message


async def test_what_expired_before_anybody_took_it(app: Goatherd, pika: PikaProgram) -> None:
    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    letters = letters_of(app)
    async with app:
        pika.send("mail", b"whatever", expiration="1", message_id="late")
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
    async with app.serve("worker"):
        letter: DeadLetter = await letters.next()
    assert (letter.reason, letter.queue, letter.body, letter.job_id) == ("expired", "mail", b"whatever", "late")


async def test_what_was_pushed_out_of_a_full_queue(
    app: Goatherd, pika: PikaProgram, broker: Management, virtual_host: str
) -> None:
    """Limits and dead letters of a contract queue come by policy, because its arguments are others' too."""
    policy = {"pattern": "^orders$", "definition": {"max-length": 1, "dead-letter-exchange": "shop.dead.v1"}}
    broker.ask("PUT", f"policies/{virtual_host}/orders", policy)

    @app.task(queue=app.queue("orders", format="plain"), remote=True)
    async def cook(dish: str) -> None:
        raise NotImplementedError

    async with app:
        first = await cook.send("soup")
        await cook.send("bread")
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
        [letter] = await stored_letters(app)
    assert (letter.reason, letter.queue, letter.job_id) == ("rejected", "orders", first)
    assert letter.arguments == {"dish": "soup"}
    assert "full queue" in letter.message


async def test_what_the_broker_gave_up_after_too_many_deliveries(
    app: Goatherd, pika: PikaProgram, broker: Management, virtual_host: str
) -> None:
    policy = {"pattern": "^mail$", "definition": {"delivery-limit": 1}}
    broker.ask("PUT", f"policies/{virtual_host}/mail", policy)

    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    async with app:
        await send_mail.send("a@b.c")
        for _ in range(2):
            seen = pika.take("mail", ack=False)
            pika.channel.basic_reject(seen.method.delivery_tag, requeue=True)
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
        [letter] = await stored_letters(app)
    assert (letter.reason, letter.queue) == ("crashed", "mail")


async def test_what_somebody_put_there_by_hand(app: Goatherd, pika: PikaProgram) -> None:
    async with app:
        pika.send("shop.dead.v1", b"a note to the operators", headers={"gh-dead-reason": "bored", "x-death": "odd"})
        [letter] = await stored_letters(app)
    assert (letter.reason, letter.body) == ("rejected", b"a note to the operators")
    assert letter.id


async def test_a_delayed_job_that_expired_in_its_own_queue(app: Goatherd, pika: PikaProgram) -> None:
    """It has died twice: in the hold queue, which is how delays are kept, and then for good."""

    @app.task(queue="mail")
    async def send_mail(to: str) -> None: ...

    async with app:
        await send_mail.options(delay=0.1).send("a@b.c")
        seen = await pika.take_meanwhile("mail", ack=False)
        pika.channel.basic_reject(seen.method.delivery_tag, requeue=False)
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
        async with asyncio.timeout(30):
            # What a closed channel had is back in its queue a moment later.
            while not (letters := await stored_letters(app)):
                await asyncio.sleep(0.05)
    [letter] = letters
    assert (letter.reason, letter.queue, letter.error_type) == ("rejected", "mail", "Rejected")


async def test_letters_without_any_id_can_be_told_apart_replayed_and_discarded(
    app: Goatherd, pika: PikaProgram, broker: Management, virtual_host: str
) -> None:
    policy = {"pattern": "^orders$", "definition": {"dead-letter-exchange": "shop.dead.v1"}}
    broker.ask("PUT", f"policies/{virtual_host}/orders", policy)
    app.queue("orders", format="plain")
    dishes = ("soup", "soup", "bread", "bread", "cake")
    async with app:
        for dish in dishes:
            pika.send("orders", {"dish": dish}, expiration="0")
        for _ in range(5):
            seen = pika.take("shop.dead.v1", ack=False)
        pika.channel.basic_nack(seen.method.delivery_tag, multiple=True, requeue=True)
        letters = await stored_letters(app)
        assert [letter.arguments for letter in letters] == [{"dish": dish} for dish in dishes]
        assert "" not in {letter.id for letter in letters}
        store = app.session().ports.dead_letters
        stored = [letter async for letter in store.find(LetterFilter())]
        assert await store.discard([letter for letter in stored if b"soup" in letter.original.body]) == 2
        again = [letter for letter in stored if b"bread" in letter.original.body]
        assert await store.replay([(letter, letter.original) for letter in again]) == 2
        assert [pika.take("orders").json for _ in range(2)] == [{"dish": "bread"}] * 2
        assert [letter.arguments for letter in await stored_letters(app)] == [{"dish": "cake"}]


async def test_those_who_look_at_once_all_see_everything(app: Goatherd, pika: PikaProgram, url: str) -> None:
    """Looking takes the letters out of others' sight for a moment; nobody may think that there are none."""
    other = Goatherd("shop", broker_url=url)
    async with app, other:
        for number in range(50):
            pika.send("shop.dead.v1", b"%d" % number)
        found = await asyncio.gather(*(stored_letters(each) for each in (app, other) * 4))
    assert [len(letters) for letters in found] == [50] * 8


async def test_somebody_who_reads_the_letters_all_the_time_is_named_as_the_reason(
    app: Goatherd, pika: PikaProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goatherd.adapters.rabbitmq.look.PATIENCE", 0.3)
    async with app:
        pika.channel.basic_consume("shop.dead.v1", lambda *_: None)
        with pytest.raises(Unavailable, match="somebody else is reading them"):
            await stored_letters(app)


async def test_a_job_that_expires_in_a_contract_queue_is_not_lost(app: Goatherd, pika: PikaProgram) -> None:
    """The queue has no dead-letter exchange, and we may add none."""

    @app.task(queue=app.queue("orders", format="plain"))
    async def cook(dish: str) -> None: ...

    letters = letters_of(app)
    async with app:
        job_id = await cook.options(deadline=0.05).send("soup")
        await asyncio.sleep(0.1)
        async with app.serve("worker"):
            letter = await letters.next()
    assert (letter.reason, letter.job_id, letter.arguments) == ("expired", job_id, {"dish": "soup"})


async def test_a_contract_can_name_our_dead_letters_as_its_own(app: Goatherd, pika: PikaProgram) -> None:
    orders = app.queue("orders", format="plain", ttl=0.05, dead_letter=("shop.dead.v1", "orders"))

    @app.task(queue=orders, remote=True)
    async def cook(dish: str) -> None:
        raise NotImplementedError

    async with app:
        job_id = await cook.send("soup")
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
        [letter] = await stored_letters(app)
    assert (letter.reason, letter.queue, letter.job_id) == ("expired", "orders", job_id)


async def test_a_contract_has_dead_letters_of_its_own_which_are_also_ours(app: Goatherd, pika: PikaProgram) -> None:
    """Both what our worker gives up and what the broker does: each is in the contract's queue and told to our hook."""
    app.topology.exchange("dlx", "direct")
    app.topology.exchange("sales", "topic")
    orders = app.queue("orders", format="plain", exchange="sales", dead_letter=("dlx", "dlq.orders"))
    app.queue("dlq.orders", format="plain", exchange="dlx")

    @app.task(queue=orders)
    async def cook(dish: str) -> None:
        raise GiveUp("there is no fire")

    letters = letters_of(app)
    async with app.serve("worker"):
        await cook.send("soup")
        failed: DeadLetter = await letters.next()
    assert (failed.reason, failed.queue, failed.arguments) == ("gave_up", "orders", {"dish": "soup"})
    assert pika.take("dlq.orders").json == {"dish": "soup"}

    async with app:
        pika.channel.basic_publish("sales", "orders", b'{"dish": "bread"}', BasicProperties(expiration="1"))
        assert pika.take("dlq.orders").json == {"dish": "bread"}
    async with app.serve("worker"):
        expired: DeadLetter = await letters.next()
        assert (expired.reason, expired.queue, expired.arguments) == ("expired", "orders", {"dish": "bread"})
        assert {letter.reason for letter in await stored_letters(app)} == {"gave_up", "expired"}


async def test_the_exchange_of_a_contracts_dead_letters_is_made_if_it_is_missing(
    app: Goatherd, pika: PikaProgram
) -> None:
    """Without it the broker would drop what it gives up, and nobody would notice."""
    app.queue("orders", format="plain", dead_letter=("dlx", "dlq.orders"))
    async with app:
        pika.channel.exchange_declare("dlx", passive=True)
        pika.send("orders", b"soup", expiration="1", message_id="late")
        pika.take("shop.dead.v1", ack=False)
        pika.channel.close()
        [letter] = await stored_letters(app)
    assert (letter.reason, letter.queue, letter.job_id) == ("expired", "orders", "late")
