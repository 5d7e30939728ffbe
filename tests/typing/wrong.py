"""Wrong usages: both type checkers must reject every line that ends in `# E`, and no other."""

from datetime import timedelta

from goatherd import Context, DeadLetter, Goatherd, Job, Retry, sync
from goatherd.sync import blocking
from goatherd.testing import testing

app = Goatherd("wrong")
Goatherd("x", brokr_url="sqlite:///x.db")  # E
Goatherd("x", declare="sometimes")  # E
Goatherd("x", concurrency="many")  # E
Goatherd("x", retry=3)  # E
Goatherd()  # E


@app.task(queue="mail", retry=Retry(3))
async def send_mail(to: str, subject: str) -> None: ...


@app.task(key="to", on_exhausted="ignore")  # E
async def keyed(to: str) -> None: ...


@app.task(key=7)  # E
async def keyed_by_number(to: str) -> None: ...


@app.task
async def summarise(ctx: Context, url: str, words: int = 100) -> str:
    return f"{ctx.job_id}{url}{words}"


@app.task
def resize(ctx: sync.Context, image: str) -> str:
    return ctx.job_id + image


@app.task
async def whole(body: dict[str, int], /) -> None: ...


@app.task(timeout="30")  # E
async def slow() -> None: ...


@app.task(retry=3)  # E
async def often() -> None: ...


@app.task(priorty=3)  # E
async def typo() -> None: ...


@app.task(executor="gpu")  # E
def nowhere() -> None: ...


@app.task(queue=7)  # E
async def unqueued() -> None: ...


async def verbs(ctx: Context) -> None:
    await send_mail.send(to=1, subject="hi")  # E
    await send_mail.send("a@b.c")  # E
    await send_mail.send("a@b.c", "hi", delay=60)  # E
    await send_mail.send("a@b.c", "hi", cc="x")  # E
    await send_mail.options(dealy=60).send("a@b.c", "hi")  # E
    await send_mail.options(delay="60").send("a@b.c", "hi")  # E
    await send_mail.options(delay=timedelta(minutes=1)).send("a@b.c", 5)  # E
    await send_mail.options(at="tomorrow").send("a@b.c", "hi")  # E
    await send_mail.options(60).send("a@b.c", "hi")  # E
    await send_mail.options(within="conn").send("a@b.c", "hi")  # E
    await send_mail.options(unique="for ever").send("a@b.c", "hi")  # E
    await summarise.send(ctx, "url")  # E
    await summarise.send(ctx=ctx, url="url")  # E
    await resize.send(5)  # E
    await whole.send(body={"a": 1})  # E
    await app.send_many([send_mail.job("a@b.c")])  # E
    await app.send_many(["job"])  # E
    n: int = await send_mail.send("a@b.c", "hi")  # E
    m: int = await summarise("url")  # E
    await resize("cat.png")  # E
    k: Job[int] = resize.job("cat.png")  # E
    print(n, m, k, send_mail.job("a@b.c", "hi").identity)  # E


async def awaiting_a_blocking_verb() -> None:
    await blocking(send_mail).send("a@b.c", "hi")  # E
    await blocking(summarise).call("url")  # E
    await blocking(app).health()  # E
    blocking(send_mail).send("a@b.c")  # E
    blocking(send_mail).options(dealy=60).send("a@b.c", "hi")  # E
    blocking(send_mail).options(within="conn").send("a@b.c", "hi")  # E
    blocking(summarise).send("url", delay=3)  # E
    blocking(summarise).call(url=7)  # E
    x: int = blocking(summarise).call("url")  # E
    blocking("summarise")  # E
    blocking(app).send_many(["job"])  # E
    blocking(app).serve("werker")  # E
    async with blocking(app).serve("worker"):  # E
        print(x)


@app.around  # E
async def no_context() -> None: ...


@app.on_dead_letter  # E
def plain_hook(letter: DeadLetter) -> None: ...


@app.on_dead_letter  # E
async def wrong_letter(letter: str) -> None: ...


@app.lifespan  # E
async def no_generator() -> None: ...


def contexts(ctx: Context, plain: sync.Context) -> None:
    print(ctx.cancelled)  # E
    print(plain.job)  # E
    ctx.attempt = 2  # E


def queues() -> None:
    app.queue("mail", format="yaml")  # E
    app.queue("mail", ttl="300")  # E
    Retry("3")  # E
    Retry(3, on="ConnectionError")  # E


gifts = app.tally("gifts")


@gifts.flush(every=5)  # E
async def wrong_total(key: int, total: str) -> None: ...


@gifts.flush()  # E
async def no_time(key: str, total: int) -> None: ...


async def give() -> None:
    await gifts.add("a", "100")  # E
    await gifts.add("a")  # E
    await gifts.add("a", 1, "id")  # E
    blocking(gifts).add(7, 1)  # E


async def fake_resize(image: int) -> str:
    return str(image)


async def rest() -> None:
    async with app.serve("werker"):  # E
        pass
    async with testing(app) as t:
        t.drain("now")  # E
        t.fake(resize, fake_resize)  # E
        t.crash(send_mail, at="middle")  # E
        t.lose_lease(send_mail, at="end")  # E
        t.lose_lease("send_mail")  # E
        t.jobs("send_mail")  # E
