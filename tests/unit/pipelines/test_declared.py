"""A pipeline as it is declared: its steps, what is filled in, and steps that are called here."""

import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from goatherd import Context, Failure, Goatherd, Pipeline, Retry, Step, sync
from goatherd.errors import DefinitionError
from goatherd.model.signature import Arguments
from goatherd.model.task import TaskDefinition
from goatherd.session import LAST_WORDS


class Video(msgspec.Struct):
    key: str
    subtitles: bool = True


class Segment(msgspec.Struct):
    idx: int
    text: str


@pytest.fixture
def dub(app: Goatherd) -> Pipeline[Video, str]:  # noqa: C901 - it has as many steps
    """One of each kind of step."""
    dub = app.pipeline("dub", takes=Video, gives=str)

    @dub.step(after=dub.input, queue="audio", timeout=timedelta(minutes=10), retry=Retry(3))
    async def extract_audio(video: Video) -> str:
        """Get the sound."""
        return video.key + ".wav"

    @dub.step(after=(extract_audio, dub.input), concurrency=1)
    def asr(ctx: sync.Context, audio_key: str, video: Video) -> list[Segment]:
        return [Segment(0, f"{ctx.job_id} {audio_key} {video.key}")]

    @dub.map(over=asr, after=dub.input, batch=20)
    async def translate(segments: list[Segment], video: Video) -> list[Segment]:
        return [Segment(s.idx, s.text + video.key) for s in segments]

    @dub.map(over=translate, concurrency=4, queue="tts", retry=Retry(2), timeout=5)
    async def tts(segment: Segment) -> str:
        return segment.text

    @tts.compensate(queue="stand-ins")
    async def silence(failure: Failure, segment: Segment) -> str:
        return f"{failure.message} {segment.idx}"

    @dub.step(after=(dub.input, asr)).when(lambda video, segments: video.subtitles)
    async def subtitles(video: Video, segments: list[Segment]) -> str:
        return f"{video.key} {len(segments)}"

    @subtitles.compensate
    async def no_subtitles(failure: Failure, video: Video, segments: list[Segment]) -> str | None:
        return None

    @dub.step(after=(dub.input, tts, subtitles), name="mux_video", executor="process")
    def mux(video: Video, speech: Sequence[str], subtitle_key: str | None) -> str:
        return f"{video.key} {len(speech)} {subtitle_key}"

    return dub


# --- what is declared --------------------------------------------------------------------------------------------


def test_the_steps_stand_in_an_order_in_which_they_can_be_done(dub: Pipeline[Video, str]) -> None:
    definition = dub.definition
    assert list(definition.steps) == ["extract_audio", "asr", "translate", "tts", "subtitles", "mux_video"]
    assert definition.last == "mux_video"
    assert (definition.name, definition.gives) == ("dub", str)
    assert {step.name: (step.over, step.after) for step in definition.steps.values()} == {
        "extract_audio": (None, ("",)),
        "asr": (None, ("extract_audio", "")),
        "translate": ("asr", ("",)),
        "tts": ("translate", ()),
        "subtitles": (None, ("", "asr")),
        "mux_video": (None, ("", "tts", "subtitles")),
    }


def test_a_step_is_run_like_a_task(dub: Pipeline[Video, str]) -> None:
    steps = dub.definition.steps
    audio = steps["extract_audio"].task
    assert (audio.name, audio.queue, audio.timeout, audio.retry.retries) == ("dub.extract_audio", "audio", 600, 3)
    asr = steps["asr"].task
    assert (asr.queue, asr.timeout, asr.retry.retries, asr.concurrency) == ("media", None, 7, 1)
    assert (asr.wants, asr.place, asr.signature.names) == ("blocking context", "thread", ("audio_key", "video"))
    assert (steps["mux_video"].task.name, steps["mux_video"].task.place) == ("dub.mux_video", "process")


def test_how_many_items_at_once_is_for_the_run_and_not_for_the_process(dub: Pipeline[Video, str]) -> None:
    tts, translate = dub.definition.steps["tts"], dub.definition.steps["translate"]
    assert (tts.at_once, tts.task.concurrency, tts.batch) == (4, None, None)
    assert (translate.at_once, translate.batch) == (None, 20)


def test_a_stand_in_is_retried_like_its_step(dub: Pipeline[Video, str]) -> None:
    silence = dub.definition.steps["tts"].compensation
    assert silence is not None
    assert (silence.name, silence.queue, silence.retry.retries) == ("dub.tts.compensate", "stand-ins", 2)
    assert (silence.timeout, silence.concurrency, silence.signature.names) == (5, None, ("failure", "segment"))
    told = (
        b'{"failure":{"step":"tts","item":3,"error_type":"E","message":"m","attempts":4},"segment":{"idx":3,"text":""}}'
    )
    failure = Failure(step="tts", item=3, error_type="E", message="m", attempts=4)
    assert silence.signature.decode(told) == Arguments((), {"failure": failure, "segment": Segment(3, "")})
    other = dub.definition.steps["subtitles"].compensation
    assert other is not None
    assert (other.queue, other.signature.names) == ("media", ("failure", "video", "segments"))


def test_the_input_is_read_as_it_is_written(dub: Pipeline[Video, str]) -> None:
    takes = dub.definition.takes
    assert dub.payload(Video("a")) == b'{"key":"a","subtitles":true}'
    assert takes.decode(b'{"key":"a"}').positional == (Video("a"),)
    assert takes.decode_result(b'"b"') == "b"


def test_the_app_knows_the_queues_of_steps_and_stand_ins(app: Goatherd, dub: Pipeline[Video, str]) -> None:
    assert {queue.name for queue in app.contracts()} == {"media", "audio", "tts", "stand-ins"}
    assert app.definitions() == []
    assert (app.pipelines, app.pipeline_definitions()) == ({"dub": dub}, [dub.definition])


def test_a_described_queue_is_used_as_it_is(app: Goatherd) -> None:
    speech = app.queue("task.tts", exchange="tasks")
    pipeline = app.pipeline("p", takes=int, gives=int)

    @pipeline.step(after=pipeline.input, queue=speech)
    async def say(number: int) -> int:
        return number

    assert pipeline.definition.steps["say"].task.queue == "task.tts"
    [described] = [queue for queue in app.contracts() if queue.name == "task.tts"]
    assert (described.contract, described.exchange) == (True, "tasks")


def test_a_queue_of_another_app_is_refused(app: Goatherd) -> None:
    pipeline = app.pipeline("p", takes=int)
    with pytest.raises(DefinitionError, match="'theirs' was described by another app"):
        pipeline.step(after=pipeline.input, queue=Goatherd("other").queue("theirs"))


def test_a_pipeline_that_gives_nothing(app: Goatherd) -> None:
    pipeline = app.pipeline("p", takes=list[int])

    @pipeline.map(over=pipeline.input, on_failure="skip")
    def double(number: int) -> int:
        return 2 * number

    @pipeline.step(after=double)
    async def tell(numbers: Sequence[float]) -> None: ...

    assert pipeline.definition.gives is None
    assert pipeline.definition.steps["double"].on_failure == "skip"
    assert pipeline.definition.steps["double"].over == ""


def test_parameters_beyond_what_a_step_comes_after_keep_their_defaults(app: Goatherd) -> None:
    pipeline = app.pipeline("p", takes=int, gives=int)

    @pipeline.step(after=pipeline.input)
    async def scale(ctx: Context, number: int, factor: int = 2, *, plus: int = 0) -> int:
        return number * factor + plus

    task: TaskDefinition = pipeline.definition.steps["scale"].task
    assert task.signature.names == ("number",)
    assert task.signature.decode(b'{"number":3}') == Arguments((), {"number": 3})


def test_a_later_step_is_part_of_it(app: Goatherd) -> None:
    pipeline = app.pipeline("p", takes=int, gives=int)

    @pipeline.step(after=pipeline.input)
    async def first(number: int) -> int:
        return number

    assert pipeline.definition.last == "first"

    @pipeline.step(after=first)
    async def second(number: int) -> int:
        return number

    assert pipeline.definition is pipeline.definition
    assert pipeline.definition.last == "second"

    @second.compensate
    async def third(failure: Failure, number: int) -> int:
        return number

    assert pipeline.definition.steps["second"].compensation is not None
    assert pipeline.definition.tasks[-1].name == "p.second.compensate"


def test_what_can_be_asked_of_a_step(dub: Pipeline[Video, str]) -> None:
    @dub.step(after=dub.input, name="extra")
    async def thing(video: Video) -> str:
        """Do it."""
        return ""

    assert isinstance(thing, Step)
    assert (thing.name, thing.__name__, thing.__doc__, repr(thing)) == ("extra", "extra", "Do it.", "<Step dub.extra>")
    assert (dub.input.name, repr(dub.input), repr(dub)) == ("", "<Step dub.input>", "<Pipeline dub of media>")


def test_options_of_a_run_do_not_touch_the_pipeline(dub: Pipeline[Video, str]) -> None:
    later = dub.options(delay=60).options(id="video-7", priority=3)
    assert (later.run_options.delay, later.run_options.id, later.run_options.priority) == (60, "video-7", 3)
    assert (dub.run_options.delay, later.definition, later.name) == (None, dub.definition, "dub")
    with pytest.raises(ValueError, match="delay= or at=, not both"):
        dub.options(delay=3, at=datetime.now(UTC))
    with pytest.raises(DefinitionError, match="priority=10"):
        dub.options(priority=10)


# --- steps called here -------------------------------------------------------------------------------------------


async def test_a_step_can_be_called_without_a_queue(app: Goatherd) -> None:
    pipeline = app.pipeline("p", takes=Video, gives=list[str])
    threads = set()

    @pipeline.step(after=pipeline.input)
    def split(ctx: sync.Context, video: Video) -> list[str]:
        threads.add(threading.current_thread())
        return [ctx.job_id, *video.key]

    @pipeline.map(over=split)
    async def louder(ctx: Context, word: str) -> str:
        return f"{word.upper()} {ctx.attempt}"

    @pipeline.map(over=louder, after=pipeline.input, batch=2)
    def longer(words: list[str], video: Video) -> list[str]:
        threads.add(threading.current_thread())
        return [word + video.key for word in words]

    assert await split(Video("ab")) == ["local", "a", "b"]
    assert await louder("a") == "A 1"
    assert await longer(["a", "b"], Video("c")) == ["ac", "bc"]
    assert threading.main_thread() not in threads


def test_types_that_are_made_around_the_decorators(app: Goatherd) -> None:
    class Word(msgspec.Struct):
        text: str

    pipeline = app.pipeline("p", takes=list[Word], gives=list[Word])

    @pipeline.step(after=pipeline.input).when(lambda words: True)
    async def first(words: "list[Word]") -> "list[Word]":
        return words

    @first.compensate
    async def none(failure: Failure, words: "list[Word]") -> "list[Word]":
        return words

    @pipeline.map(over=pipeline.input, after=first)
    async def one(word: "Word", words: "list[Word] | None") -> "Word":
        return word

    @one.compensate(queue="other")
    async def another(failure: Failure, word: "Word") -> "Word":
        return word

    @pipeline.map(over=one, batch=2)
    def many(words: "list[Word]") -> "list[Word]":
        return words

    assert pipeline.definition.last == "many"
    assert {task.signature.types[task.signature.names[-1]] for task in pipeline.definition.tasks[-2:]} == {
        list[Word],
        Word,
    }


async def test_an_app_that_has_nothing_more_to_tell_closes_at_once(app: Goatherd, dub: Pipeline[Video, str]) -> None:
    async with app:
        pass
    async with app:
        closing = time.monotonic()
    assert time.monotonic() - closing < LAST_WORDS / 2
