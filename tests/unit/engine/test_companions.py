from goatherd.engine.companions import Companions


class Quiet:
    def __init__(self, closed: list[str]) -> None:
        self._closed = closed

    async def close(self) -> None:
        self._closed.append(type(self).__name__)


class Loud(Quiet): ...


async def test_there_is_one_of_each_kind_and_the_newest_is_closed_first() -> None:
    closed: list[str] = []
    kept = Companions()
    quiet = kept.get(Quiet, lambda: Quiet(closed))
    assert kept.get(Quiet, lambda: Quiet(closed)) is quiet
    assert isinstance(kept.get(Loud, lambda: Loud(closed)), Loud)
    await kept.close()
    await kept.close()
    assert closed == ["Loud", "Quiet"]
