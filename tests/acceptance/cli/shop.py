"""The app of the stories; copied into each story's own folder."""

import asyncio
import os

from goatherd import Context, Goatherd, Retry

app = Goatherd("shop")


@app.task(queue="gate", retry=Retry(0))
async def visit(ctx: Context, port: int, name: str, password: str = "") -> None:
    """Tell the story that the job runs, and go on when the story says so."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"{name}|{os.getpid()}|{ctx.attempt}|{password}\n".encode())
        await reader.readexactly(1)
        writer.write(b"done\n")
        await writer.drain()
    finally:
        writer.close()


@app.task(queue="mail", retry=Retry(0))
async def refuse(customer: int, port: int = 0, password: str = "") -> None:
    """Fail, but for customer 7, who is told to the story."""
    if customer != 7:
        raise LookupError(f"no customer {customer}")
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"customer {customer}|{os.getpid()}|1|{password}\n".encode())
    writer.close()


@app.task
async def greet(name: str, times: int = 1) -> str:
    """The simplest of all."""
    return f"Hello, {name}! " * times


@app.task(retry=Retry(1, base=0.01))
async def tell(ctx: Context, words: int, fails: int = 0) -> int:
    """Stream some words; the first attempts fail at the end."""
    await ctx.progress("telling", 10, words=words)
    for number in range(words):
        await ctx.token(f"word{number} ")
    if ctx.attempt <= fails:
        raise ConnectionError("lost the thread")
    return words
