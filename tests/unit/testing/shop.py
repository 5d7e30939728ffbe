"""A small shop, as users write it, for the stories in this folder."""

from collections.abc import AsyncIterator

from goatherd import Context, DeadLetter, GiveUp, Goatherd, Retry, RetryLater

shop = Goatherd("shop")
ai_queue = shop.queue("recipe_analysis_request", format="plain")

#: What happened, in order.
diary: list[str] = []


@shop.lifespan
async def opening_hours() -> AsyncIterator[None]:
    diary.append("opened")
    yield
    diary.append("closed")


@shop.around
async def wrapped(ctx: Context) -> AsyncIterator[None]:
    diary.append(f"around {ctx.queue}")
    yield


@shop.on_dead_letter
async def review(letter: DeadLetter) -> None:
    diary.append(f"told of {letter.task}: {letter.message}")


@shop.task(queue="mail", retry=Retry(2, base=10, factor=3, max=100, jitter=0, on=ConnectionError))
async def send_mail(to: str, subject: str = "hello") -> str:
    diary.append(f"mail to {to}")
    if to.startswith("broken"):
        raise ConnectionError("no route")
    if to.startswith("nobody"):
        raise GiveUp("no such person")
    return f"{subject} sent"


@shop.task
async def take_order(ctx: Context, customer: str, items: int) -> int:
    diary.append(f"order of {customer}, attempt {ctx.attempt}")
    for number in range(items):
        await pack.send(customer, number)
    return items


@shop.task
def pack(customer: str, number: int) -> str:
    diary.append(f"pack {number} for {customer}")
    return f"parcel {number}"


@shop.task(retry=Retry(3))
async def ask_later(ctx: Context, times: int) -> str:
    if ctx.attempt <= times:
        raise RetryLater(after=60)
    return "now"


@shop.task(queue=ai_queue, remote=True)
async def analyse(user_input: str) -> dict[str, str]:
    raise NotImplementedError("the AI service does this")


@shop.task(executor="process")
def square(number: int) -> int:
    return number * number


def told(word: str) -> list[str]:
    """What the diary says about one thing."""
    return [line for line in diary if line.startswith(word)]
