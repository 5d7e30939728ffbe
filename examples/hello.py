"""The smallest app: one task, one job.

Here, in one terminal `goatherd dev hello:app`, and in another `python hello.py`.
At the top of a checkout: `goatherd dev examples.hello:app`, and `make example NAME=hello`.
"""

import asyncio

from goatherd import Goatherd

app = Goatherd("hello")


@app.task
async def greet(name: str) -> None:
    print(f"Hello, {name}!")


async def main() -> None:
    async with app:
        job_id = await greet.send("Ada")
    print(f"Sent job {job_id} to the queue {app.name!r}.")


if __name__ == "__main__":
    asyncio.run(main())
