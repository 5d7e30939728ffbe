"""Play the whole story."""

from collections.abc import Callable, Mapping
from functools import partial

import httpx2

from examples.arcade.hall import Hall
from examples.arcade.story import earning, playing, trouble
from examples.arcade.story.stage import PATIENCE, Game, Stage
from examples.arcade.story.webhook import Webhook
from examples.running.checks import Checklist

SCENES: Mapping[str, Callable[[Stage], str]] = {
    "plays with another": playing.two_by_two,
    "plays with several": playing.several,
    "puts a coin into a machine": playing.machine,
    "gives to streamers": earning.gifts,
    "plays what is new, and what is gone": playing.rows_come_and_go,
    "sends commands through Firebase": trouble.commands,
    "gets what jobs do by themselves": earning.jobs,
    "wins prizes, and draws": earning.prizes,
    "sees each tick fire once": earning.each_tick_once,
    "sends commands that cannot be done": trouble.poison,
    "gives while a process is killed": trouble.killed,
}
#: Only where there are queues that somebody else can delete.
ON_SERVERS: Mapping[str, Callable[[Stage], str]] = {"has a queue deleted": trouble.queue_deleted}


def play(hall: Hall, webhook: Webhook) -> Checklist:
    """Every scene, one after the other."""
    checklist = Checklist()
    limits = httpx2.Limits(max_connections=50)
    with (
        httpx2.Client(base_url=hall.url, timeout=PATIENCE, limits=limits) as client,
        Game(hall.environment["ARCADE_DATABASE_URL"]) as game,
    ):
        stage = Stage(hall, client, game, webhook)
        for name, scene in scenes_for(hall).items():
            checklist.play(name, partial(scene, stage))
    return checklist


def scenes_for(hall: Hall) -> Mapping[str, Callable[[Stage], str]]:
    """What is played there."""
    return {**SCENES, **ON_SERVERS} if "ARCADE_RABBITMQ_MANAGEMENT_URL" in hall.environment else SCENES
