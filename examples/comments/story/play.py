"""Play the whole story."""

from collections.abc import Callable, Mapping
from functools import partial

import httpx2

from examples.comments.board import Board
from examples.comments.story import scenes, trouble
from examples.comments.story.stage import PATIENCE, Stage
from examples.running.checks import Checklist

SCENES: Mapping[str, Callable[[Stage], str]] = {
    "writes a comment": scenes.one_comment,
    "writes while many others do": scenes.many_at_once,
    "writes 20 comments at once to three posts": scenes.twenty_to_three,
    "edits a comment before it is written": scenes.edit,
    "likes a post, or not": scenes.likes,
    "writes while the comments are being closed": scenes.close_in_the_middle,
    "writes while a worker is killed": trouble.worker_killed,
    "writes a comment that fails once": trouble.fails_once,
    "writes a comment that never gets through": trouble.held_and_skipped,
    "writes a comment that an operator helps through": trouble.held_and_retried,
    "writes to a post that is full": trouble.full_lane,
    "sends nonsense": trouble.nonsense,
}


def play(board: Board) -> Checklist:
    """Every scene, one after the other."""
    checklist = Checklist()
    limits = httpx2.Limits(max_connections=50)
    with httpx2.Client(base_url=board.url, timeout=PATIENCE, limits=limits) as client:
        stage = Stage(board, client)
        for name, scene in SCENES.items():
            checklist.play(name, partial(scene, stage))
    return checklist
