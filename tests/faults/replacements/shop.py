"""An app that sends in every way to queues of every kind, and knows what was done."""

import asyncio
from collections import Counter
from typing import Any

from goatherd import GiveUp, Goatherd, Retry, Task
from goatherd.adapters.rabbitmq.broker import RabbitBroker

#: Seconds within which whatever is promised must have happened, on a slow machine too.
PATIENCE = 60.0
#: The queue of each task, by the kind of way that leads to it.
CONTRACT, OWN, ROUTED = "orders", "mail", "kitchen.hot"
#: Where the routed one is bound.
EXCHANGE = "kitchen"


class Shop:
    """Its tasks note what they were given."""

    def __init__(self, url: str, **settings: Any) -> None:
        self.done: Counter[str] = Counter()
        self._news = asyncio.Event()
        self.app = app = Goatherd("shop", broker_url=url, **settings)

        @app.task(queue=app.queue(CONTRACT, format="plain"))
        async def order(dish: str) -> str:
            if self._note(dish).startswith("spoilt ") and self.done[dish] == 1:
                raise GiveUp("nobody eats it")
            return dish

        @app.task(queue=OWN, retry=Retry(1, base=0.2, give_up_on=ValueError))
        async def write(text: str) -> str:
            if text.startswith("again ") and not self.done[text]:
                self._note(text)
                raise OSError("the post is closed")
            if text.startswith("never "):
                raise ValueError("nobody can read it")
            return self._note(text)

        app.topology.exchange(EXCHANGE, "direct")

        @app.task(queue=app.queue(ROUTED, exchange=EXCHANGE, routing_key="hot", format="plain"))
        async def cook(dish: str) -> str:
            return self._note(dish)

        self.order, self.write, self.cook = order, write, cook
        self.tasks: dict[str, Task[..., str]] = {CONTRACT: order, OWN: write, ROUTED: cook}

    @property
    def broker(self) -> RabbitBroker:
        broker = self.app.session().ports.broker
        assert isinstance(broker, RabbitBroker)
        return broker

    async def has_done(self, *names: str, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while not all(self.done[name] >= times for name in names):
                self._news.clear()
                await self._news.wait()

    def _note(self, what: str) -> str:
        self.done[what] += 1
        self._news.set()
        return what


async def waits(task: "asyncio.Task[Any]", seconds: float = 0.6) -> None:
    """It is not done, and not for a while."""
    done, _ = await asyncio.wait([task], timeout=seconds)
    assert not done, f"it has ended: {task}"
