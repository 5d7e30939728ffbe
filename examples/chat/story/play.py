"""Play the whole story."""

from collections.abc import Callable, Mapping
from functools import partial

import httpx2

from examples.chat.chat import Chat
from examples.chat.story import scenes, trouble
from examples.chat.story.model_server import ModelServer
from examples.chat.story.stage import Stage
from examples.running.checks import Checklist

SCENES: Mapping[str, Callable[[Stage], str]] = {
    "asks without a language model": scenes.without_a_model,
    "asks with a language model": scenes.with_a_model,
    "sends a picture": scenes.a_picture,
    "goes through a tunnel in the middle of an answer": scenes.a_tunnel,
    "opens a second window": scenes.two_watchers,
    "reloads the page": scenes.a_reload,
    "stops an answer": scenes.stop,
    "adds a text to the documents": scenes.add_a_text,
    "asks while the worker is killed": trouble.worker_killed,
    "asks while the gateway is killed": trouble.gateway_restarted,
    "asks while the language model hesitates": trouble.model_hesitates,
    "asks when the language model is gone": trouble.model_gone,
    "asks for nonsense": trouble.nonsense,
    "looks at the gateway's metrics": trouble.gateway_counts,
}


def play(chat: Chat, model: ModelServer) -> Checklist:
    """Every scene, one after the other."""
    checklist = Checklist()
    with httpx2.Client(base_url=chat.url, timeout=60) as client:
        stage = Stage(chat, model, client)
        for name, scene in SCENES.items():
            checklist.play(name, partial(scene, stage))
    return checklist
