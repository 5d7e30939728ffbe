"""What users and operators see on a bad day."""

import json

from examples.dubbing.contract import COMPENSATION, STEPS, folder_of
from examples.dubbing.media.speaking_video import FARM
from examples.dubbing.story.scenes import must_be_translated
from examples.dubbing.story.stage import Stage, attempts
from examples.dubbing.studio import APP
from examples.running.checks import must

#: The task whose message is deleted.
WIPED = "wiped"


def duplicates(stage: Stage) -> str:
    """Every message comes several times, some of them too early."""
    stage.misbehave("tts holds")
    task_id = stage.upload()
    stage.when(task_id, "speech", lambda now: len(attempts(now, "tts")) == 2)
    said = stage.command("-m", "examples.dubbing.story.echo", task_id, str(len(FARM)), "3").strip()
    stage.when(task_id, "workers to take them", lambda _now: stage.all_are_taken())
    stage.behave()
    task = stage.done(task_id)
    must_be_translated(task)
    for provider in ("translation", "tts"):
        asked = stage.asked(provider)
        must(set(asked.values()) == {1}, f"{provider} was asked {dict(asked)}")
    for step in STEPS:
        states = [one["state"] for one in attempts(task, step)]
        must(len(states) == (2 if step in {"translate", "tts"} else 1), f"{step} had the attempts {states}")
    return f"{said}, for steps done, at work, and to come: every text translated and spoken once, one mux"


def worker_killed(stage: Stage) -> str:
    """A worker is killed with -9 in the middle of speech, and started again."""
    stage.misbehave("tts holds")
    task_id = stage.upload()
    task = stage.when(task_id, "speech", lambda now: any(one["state"] == "running" for one in attempts(now, "tts")))
    [begun, *_] = [one for one in attempts(task, "tts") if one["state"] == "running"]
    victim = stage.studio.workers[int(begun["worker"]) - 1]
    restarts = victim.restarts
    victim.kill()
    stage.behave()
    task = stage.done(task_id)
    must_be_translated(task)
    lost = [one for one in attempts(task, "tts") if one["state"] == "lost"]
    must(bool(lost), f"nobody lost anything: {attempts(task, 'tts')}")
    must(len(attempts(task, "mux_video")) == 1, f"{attempts(task, 'mux_video')}")
    victim.await_ready()
    must(victim.restarts == restarts + 1, f"it was restarted {victim.restarts - restarts} times")
    return f"what it had in its hands, {len(lost)} of 2 batches, was spoken when its lease had ended; one mux"


def poison(stage: Stage) -> str:
    """A segment cannot be spoken: the task waits for an operator, who queues it again."""
    stage.misbehave("tts refuses puente")
    task_id = stage.upload()
    task = stage.when(
        task_id, "the others", lambda now: sum(bool(one["tts_audio_key"]) for one in now["segments"]) == 3
    )
    stage.when(task_id, "the compensation queue", lambda _now: stage.waiting_in(COMPENSATION) == 1)
    task = stage.task(task_id)
    bad = task["segments"][2]
    must("refuses" in bad["error"] and not bad["tts_audio_key"], f"the segment is {bad}")
    must(task["state"] == "running" and not attempts(task, "mux_video"), f"the task did not wait: {task['state']}")
    first = stage.asked("tts")
    stage.misbehave()
    said = stage.command("-m", "examples.dubbing.requeue", "--limit", "100")
    must(task_id in said and "1 of tts" in said, f"it said {said!r}")
    task = stage.done(task_id)
    must_be_translated(task)
    must(set(stage.asked("tts")) == {bad["mt_text"]}, f"spoken again was {dict(stage.asked('tts'))}")
    others = {one["mt_text"]: first[one["mt_text"]] for one in task["segments"] if one["idx"] != 2}
    must(set(others.values()) == {1}, f"the others were spoken {others} times")
    must(len(attempts(task, "mux_video")) == 1, f"{attempts(task, 'mux_video')}")
    return f"three spoken once, one in {COMPENSATION}, the task waits; after `requeue` it alone is spoken; one mux"


def wiped(stage: Stage) -> str:
    """Somebody empties a queue while no worker is there; the records know better."""
    stage.misbehave()
    queue = STEPS["extract_audio"]
    for worker in stage.studio.workers:
        worker.stop()
    task_id = stage.upload(id=WIPED)
    stage.when(task_id, "a message", lambda _now: stage.waiting_in(queue) == 1)
    deleted = json.loads(stage.goatherd("queues", "purge", APP, queue, "--yes", "--json"))["deleted"]
    must(deleted == 1, f"{deleted} messages were deleted")
    for worker in stage.studio.workers:
        worker.launch()
    for worker in stage.studio.workers:
        worker.await_ready()
    return f"the message for {queue} is deleted before a worker sees it; other videos come meanwhile"


def told_again(stage: Stage) -> str:
    """What was in that queue is done all the same, a while later."""
    task = stage.done(WIPED)
    must_be_translated(task)
    must([len(attempts(task, step)) for step in ("extract_audio", "mux_video")] == [1, 1], f"{task['steps']}")
    seconds = attempts(task, "extract_audio")[0]["started_at"] - task["created_at"]
    return f"workers were told again by the records, {seconds:.0f} s later, and it was done once"


def no_video(stage: Stage) -> str:
    """Send something that is no video, mend it, and try again."""
    stage.misbehave()
    task_id = stage.upload(b"Dear sir or madam,")
    task = stage.when(task_id, "the failure", lambda now: now["state"] == "failed")
    must("neither video nor sound" in task["error"], f"its error is {task['error']!r}")
    must(len(task["steps"]) == 1, f"a lasting error was tried again: {task['steps']}")
    letters = [one["job_id"] for one in json.loads(stage.goatherd("dead", "list", APP, "--each", "--json"))]
    must(letters == [task_id], f"the dead letters are of {letters}")
    refused = stage.client.get(f"/api/v1/tasks/{task_id}/video")
    must(refused.status_code == 409, f"its video was answered with {refused.status_code}")
    source = stage.studio.folder / "objects" / folder_of(task_id) / "source.mp4"
    source.write_bytes(stage.film.read_bytes())
    stage.goatherd("runs", "retry", APP, task_id)
    task = stage.done(task_id)
    must_be_translated(task)
    must(task["error"] == "", f"its error is still {task['error']!r}")
    return "failed at once: a dead letter, and the reason in the task; mended and retried by hand, it is done"
