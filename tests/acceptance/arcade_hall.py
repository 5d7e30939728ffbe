"""An arcade whose machines are lines of a file: each has a queue of its own."""

from pathlib import Path

from goatherd import Goatherd, Retry

app = Goatherd("arcade_hall", retry=Retry(0))


async def machines() -> list[int]:
    return [int(line) for line in Path("machines").read_text(encoding="utf-8").split()]


@app.listeners("machine-start-{}", machines, every=0.1, format="plain")
async def start_machine(machine: int, player: str) -> str:
    if Path("broken").exists():
        raise RuntimeError(f"machine {machine} is broken")
    return f"{player} plays on {machine}"


@app.listeners("{}", ["prize-gold"])
async def give_prize(queue: str, user: int) -> str:
    return f"{user} has a prize of {queue}"
