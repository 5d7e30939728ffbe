import pytest

from goatherd import Goatherd
from goatherd.desk.arguments import job_by_name
from goatherd.errors import InvalidArguments


def test_one_that_is_missing_is_not_taken_from_the_next() -> None:
    """By position, the second would take the place of the first."""
    app = Goatherd("shop")

    @app.task
    async def move(source: int, target: int = 0, /, *, times: int = 1) -> None: ...

    with pytest.raises(InvalidArguments, match="source: missing"):
        job_by_name(move, {"target": 5})
    assert job_by_name(move, {"source": 1, "target": 5, "times": 2}).payload == b'{"source":1,"target":5,"times":2}'
    assert job_by_name(move, {"source": 1}).payload == b'{"source":1}'
