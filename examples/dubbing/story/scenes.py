"""What users do on a good day."""

from examples.dubbing.contract import STEPS
from examples.dubbing.media.speaking_video import FARM
from examples.dubbing.story.listening import must_be_dubbed
from examples.dubbing.story.stage import Stage, Task, attempts
from examples.running.checks import must


def dub_a_video(stage: Stage) -> str:
    """Send a video, twice since one did not see the answer, watch how far it is, and have it dubbed."""
    stage.misbehave()
    task_id, again = stage.upload(id="farm"), stage.upload(id="farm")
    must(task_id == again == "farm", f"sent twice, it is called {task_id} and {again}")
    told = stage.watch(task_id)
    must(told[-1][0] == "done", f"the last that was told is {told[-1]}")
    stages = {members["stage"] for kind, members in told if kind == "progress"}
    must(stages >= STEPS.keys(), f"one was told of {sorted(stages)} only")
    task = stage.done(task_id)
    must_be_translated(task)
    counts = [len(attempts(task, step)) for step in STEPS]
    # Batches of three and of two: four segments are two each.
    must(counts == [1, 1, 2, 2, 1], f"the steps had {dict(zip(STEPS, counts, strict=True))} attempts")
    dubbed = stage.studio.folder / "dubbed.mp4"
    stage.download(task_id, dubbed)
    return f"sent twice, done once: {must_be_dubbed(task, stage.film, dubbed)}"


def must_be_translated(task: Task) -> None:
    """Every line was heard, translated, and spoken. Raises Broken."""
    segments = task["segments"]
    must(len(segments) == len(FARM), f"{len(FARM)} lines became {[one['src_text'] for one in segments]}")
    for one, line in zip(segments, FARM, strict=True):
        must(abs(one["start_seconds"] - line.start) < 0.5, f"{one['src_text']!r} begins at {one['start_seconds']}")
        must(bool(one["mt_text"]) and one["mt_text"] != one["src_text"], f"{one['src_text']!r} was not translated")
        must(bool(one["tts_audio_key"]) and not one["error"], f"{one['mt_text']!r} was not spoken: {one['error']}")
    for idx, word in ((2, "puente"), (3, "río")):
        must(word in segments[idx]["mt_text"], f"{segments[idx]['src_text']!r} became {segments[idx]['mt_text']!r}")
