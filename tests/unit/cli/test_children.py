import asyncio

import pytest

from goatherd.cli.children import first_of, how_it_ended


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (0, "ended by itself"),
        (3, "ended with exit code 3"),
        (-11, "was killed by SIGSEGV"),
        (-9, "was killed by SIGKILL (kill -9, or the machine ran out of memory)"),
        (-63, "was killed by signal 63"),
    ],
)
def test_an_exit_code_in_words(code: int, told: str) -> None:
    assert how_it_ended(code) == told


async def test_the_first_decides_and_the_others_are_given_up() -> None:
    given_up = asyncio.Event()

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    await first_of(for_ever(), asyncio.sleep(0))
    assert given_up.is_set()


async def test_what_the_first_raises_is_not_lost() -> None:
    async def fails() -> None:
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        await first_of(fails(), asyncio.Event().wait())
