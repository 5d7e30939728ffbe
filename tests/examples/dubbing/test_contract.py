"""The broker is as the contract says, and messages hold what foreign workers need."""

import msgspec

from examples.dubbing.contract import COMPENSATION, DEAD, EXCHANGE, STEPS, Dubbing, new_task, segment_key
from examples.dubbing.worker.service import dub

NAMES = ["extract_audio", "asr", "translate", "tts", "mux_video"]


def test_queues_are_bound_to_the_exchange_by_their_names() -> None:
    queues = {queue.name: queue for queue in dub.app.contracts()}
    assert list(STEPS) == NAMES
    for name in NAMES:
        queue = queues[f"task.{name}"]
        assert (queue.exchange, queue.exchange_type, queue.routing_key or queue.name) == (EXCHANGE, "topic", queue.name)
        assert (queue.dead_letter, queue.prefetch) == ((EXCHANGE, "task.dlq"), 1)
    for name in ("task.dlq", "task.tts_compensation"):
        assert queues[name].exchange == EXCHANGE
    assert (DEAD, COMPENSATION) == ("task.dlq", "task.tts_compensation")


def test_steps_follow_each_other_on_their_queues() -> None:
    pipeline = dub.definition
    assert list(pipeline.steps) == NAMES
    assert [step.task.queue for step in pipeline.steps.values()] == list(STEPS.values())
    assert [step.before for step in pipeline.steps.values()] == [(), *((name,) for name in NAMES[:-1])]
    compensation = pipeline.steps["tts"].compensation
    assert compensation is not None
    assert compensation.queue == COMPENSATION


def test_a_task_has_the_members_that_payloads_promise() -> None:
    promised = {
        "task_id", "source_video_key", "output_audio_key", "language", "output_key", "source_language",
        "target_language", "speaker_id", "tts_audio_key", "output_video_key",
    }  # fmt: skip
    task = new_task("", "en", "es", task_id="7")
    assert set(msgspec.to_builtins(task)) == promised
    assert msgspec.json.decode(msgspec.json.encode(task), type=Dubbing) == task
    assert (task.language, task.source_video_key) == ("en", "tasks/7/source.mp4")
    assert new_task("films/a.mp4", "en", "es").source_video_key == "films/a.mp4"
    assert segment_key("7", 3) == "tasks/7/segments/00003.wav"
