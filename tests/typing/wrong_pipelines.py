"""Wrong pipelines: both type checkers must reject every line that ends in `# E`, and no other."""

from collections.abc import Sequence

from goatherd import Failure, Goatherd, Step
from goatherd.sync import blocking

app = Goatherd("wrong")


class Video: ...


p = app.pipeline("p", takes=Video, gives=str)
app.pipeline("q")  # E
app.pipeline("q", takes=Video(), gives=str)  # E


@p.step(after=p.input)
async def audio(video: Video) -> str:
    return str(video)


@p.step(after=audio)
async def asr(key: str) -> list[int]:
    return [len(key)]


@p.step(after=audio)  # E
async def wrong_type(key: int) -> str:
    return str(key)


@p.step(after=(audio, asr))  # E
async def wrong_order(numbers: list[int], key: str) -> str:
    return key + str(numbers)


@p.step(after=asr)  # E
async def too_many(numbers: list[int], key: str) -> str:
    return key + str(numbers)


@p.step(after="audio")  # E
async def after_a_name(key: str) -> str:
    return key


@p.step()  # E
async def after_nothing() -> str:
    return ""


@p.map(over=audio, batch=2)  # E
async def not_a_list(items: list[int]) -> list[int]:
    return items


@p.map(over=asr)  # E
async def wrong_item(item: str) -> str:
    return item


@p.map(over=asr, batch=2)  # E
async def not_batched(item: int) -> int:
    return item


@p.map(over=asr, on_failure="ignore")  # E
async def ignored(item: int) -> int:
    return item


@p.map(over=asr)
async def double(item: int) -> int:
    return item * 2


@double.compensate  # E
async def wrong_stand_in(failure: Failure, item: int) -> str:
    return failure.message + str(item)


@double.compensate(queue="c")  # E
async def wrong_item_type(failure: Failure, item: str) -> int:
    return len(failure.message + item)


@p.step(after=double)  # E
async def joined_wrongly(numbers: Sequence[str]) -> str:
    return str(numbers)


@p.step(after=(p.input, asr)).when(lambda video, numbers: len(numbers) > 1)
async def maybe(video: Video, numbers: list[int]) -> str:
    return str(video) + str(numbers)


@p.step(after=maybe)  # E
async def forgets_none(key: str) -> str:
    return key


@p.step(after=asr, quue="x")  # E
async def typo_step(numbers: list[int]) -> str:
    return str(numbers)


@p.step(after=asr, on_failure="skip")  # E
async def skipped_step(numbers: list[int]) -> str:
    return str(numbers)


async def runs() -> None:
    await p.start("video")  # E
    await p.start()  # E
    await p.start(input=Video())  # E
    i: int = await (await p.start(Video())).result()  # E
    j: int = await app.run("id", of=p).result()  # E
    await p.options(unique=5).start(Video())  # E
    await p.options(within="conn").start(Video())  # E
    await app.run("id", of=p).retry_step(7)  # E
    print(i, j)


async def blocked() -> None:
    await blocking(p).start(Video())  # E
    blocking(p).start("video")  # E
    blocking(p).options(within="conn").start(Video())  # E
    i: int = blocking(p).start(Video()).result()  # E
    blocking(p).start(Video()).resume_from()  # E
    print(i)


async def called_here() -> None:
    await audio("video")  # E
    await double([1])  # E
    numbers: list[str] = await asr("key")  # E
    step: Step[int] = asr  # E
    print(numbers, step)
