"""Cases: a client that vanishes loses nothing, and only code that was running counts as a death."""

import msgspec

from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import all_letters, message, receiving
from goatherd.testing.suites.settling import burial
from goatherd.testing.suites.store import OpenBroker
from goatherd.wiring import Ports


class CrashCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_what_a_lost_client_held_is_delivered_again(self, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue, b"%d" % number) for number in range(5)])
        await (await receiving(client, queue)).take(5)
        received = await receiving(other, queue)
        await client.vanish()
        again = await received.take(5)
        assert sorted(delivery.message.body for delivery in again) == [b"0", b"1", b"2", b"3", b"4"]
        await received.gets_nothing()

    async def test_what_was_only_delivered_has_no_death(self, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue)])
        await (await receiving(client, queue)).next()
        received = await receiving(other, queue)
        await client.vanish()
        assert (await received.next()).deaths == 0

    async def test_only_what_was_running_has_a_death(self, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue, body) for body in (b"running", b"ended", b"waiting")])
        running, ended, _ = await (await receiving(client, queue)).take(3)
        client.broker.begin(running)
        client.broker.begin(ended)
        client.broker.end(ended)
        received = await receiving(other, queue)
        await client.vanish()
        deaths = {delivery.message.body: delivery.deaths for delivery in await received.take(3)}
        assert deaths == {b"running": 1, b"ended": 0, b"waiting": 0}

    async def test_deaths_add_up(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        await client.broker.publish([message(queue)])
        for deaths in range(3):
            victim = await open_broker()
            delivery = await (await receiving(victim, queue)).next()
            assert delivery.deaths == deaths
            victim.broker.begin(delivery)
            await victim.vanish()
        assert (await (await receiving(client, queue)).next()).deaths == 3

    async def test_a_client_that_closes_in_order_counts_no_death(self, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue)])
        client.broker.begin(await (await receiving(client, queue)).next())
        received = await receiving(other, queue)
        await client.close()
        assert (await received.next()).deaths == 0

    async def test_what_was_settled_before_the_end_stays_settled(self, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue, body) for body in (b"buried", b"replaced", b"back")])
        buried, replaced, back = await (await receiving(client, queue)).take(3)
        for delivery in (buried, replaced, back):
            client.broker.begin(delivery)
            client.broker.end(delivery)
        await client.broker.bury(buried, burial())
        following = msgspec.structs.replace(replaced.message, body=b"replacement")
        # A second client takes what is free at once, so that the first does not get it again.
        received = await receiving(other, queue, prefetch=10)
        await client.broker.replace(replaced, following)
        await client.broker.hand_back([back])
        await client.vanish()
        again = {delivery.message.body: delivery.deaths for delivery in await received.take(2)}
        assert again == {b"replacement": 0, b"back": 0}
        await received.gets_nothing()
        assert [letter.original.body for letter in await all_letters(other, queue)] == [b"buried"]

    async def test_a_client_that_vanished_may_be_closed(self, client: Ports, queue: str) -> None:
        await receiving(client, queue)
        await client.vanish()
        await client.close()
