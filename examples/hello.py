"""The smallest app: one task, one call.

Here, in one terminal `goatherd dev hello:app`, and in another `python hello.py`.
At the top of a checkout: `goatherd dev examples.hello:app`, and `make example NAME=hello`.
"""

from goatherd import Goatherd
from goatherd.sync import blocking

app = Goatherd("hello")


@app.task
async def greet(name: str) -> str:
    return f"Hello, {name}!"


if __name__ == "__main__":
    print(blocking(greet).call("Ada"))
