"""A message about an item to stand in for calls it by the name of one, also where the step takes many."""

import json

import pytest

from goatherd import Failure, Goatherd
from goatherd.engine.conducting import Scores
from goatherd.engine.step_book import StepBook
from goatherd.model.run_record import Trouble, Turn, UnitKey


@pytest.mark.parametrize("batch", [None, 2])
def test_an_item_has_its_own_name(batch: int | None) -> None:
    app = Goatherd("films")
    films = app.pipeline("films", takes=list[int], gives=list[int])
    if batch is None:

        @films.map(over=films.input)
        async def speak(segment: int) -> int:
            return segment
    else:

        @films.map(over=films.input, batch=batch, name="speak")
        async def speak_many(segments: list[int]) -> list[int]:
            return segments

    @(speak if batch is None else speak_many).compensate(queue="help")
    async def silence(failure: Failure, segment: int) -> int:
        return 0

    turn = Turn(
        key=UnitKey("run-7", "speak", 3), pipeline="films", size=1, content=b"3", phase="compensate", failures=0,
        tellings=0, trouble=Trouble(error_type="GiveUp", message="no voice"), trace_id="t", priority=0, created=0.0,
    )  # fmt: skip
    book = StepBook(app.pipeline_definitions(), [], "films.step-answers")
    [(_, message)] = Scores(book, app.clock).written([turn], {}, {}).messages
    told = json.loads(message.body)
    assert (message.queue, told["segment_idx"], told["item"]) == ("help", 3, 3)
    assert not [name for name in told if name.startswith("segments")]
