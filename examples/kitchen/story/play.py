"""Play the whole story."""

from collections.abc import Callable, Mapping
from functools import partial

from examples.kitchen.kitchen import Kitchen
from examples.kitchen.story import looks, scenes, trouble
from examples.kitchen.story.stage import Stage
from examples.kitchen.story.user import User
from examples.kitchen.trap_site import TrapSite
from examples.running.checks import Checklist

SCENES: Mapping[str, Callable[[Stage], str]] = {
    "has a recipe read": scenes.recipe,
    "has a picture read": scenes.picture,
    "asks whether the crawler is there": scenes.ping,
    "has a site of 200 pages and traps crawled, and looks up the job": scenes.crawl_later,
    "waits for the same crawl": scenes.crawl_now,
    "asks for nonsense": scenes.nonsense,
    "asks while the AI service is down": trouble.ai_down,
    "asks while the AI service hangs": trouble.ai_hangs,
    "asks while the AI service is killed": trouble.ai_killed,
    "asks while the broker is away": trouble.broker_away,
    "looks at /health": looks.health,
    "looks at /metrics": looks.metrics,
    "reads the log": looks.log,
}


def play(kitchen: Kitchen, site: TrapSite) -> Checklist:
    """Every scene, one after the other."""
    checklist = Checklist()
    user = User(kitchen.url)
    try:
        stage = Stage(kitchen, site, user)
        for name, scene in SCENES.items():
            checklist.play(name, partial(scene, stage))
    finally:
        user.close()
    return checklist
