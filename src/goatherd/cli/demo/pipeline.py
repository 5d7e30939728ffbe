"""The scene of a pipeline: steps that wait for each other, and items that are worked on side by side."""

from collections import Counter

from goatherd.cli.demo.shop import wedding_cake
from goatherd.cli.demo.stage import PATIENCE, Stage

LAYERS = 7


async def pipeline(stage: Stage) -> None:
    """Each step is done once, as soon as what it needs is there."""
    stage.open_scene("Pipeline", "run = await wedding_cake.start(7)\nprint(await run.result())")
    run = await wedding_cake.start(LAYERS)
    result = await run.result(timeout=PATIENCE)
    wanted = f"a cake of {LAYERS} layers with {LAYERS} spoons of cream"
    await stage.check("all steps came together", result == wanted, result)
    baked = Counter(note["layer"] for note in stage.notes("layer"))
    await stage.check(
        "each layer was baked once", len(baked) == LAYERS and set(baked.values()) == {1}, f"{LAYERS} of {LAYERS}"
    )
