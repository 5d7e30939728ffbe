"""What must hold of posts, whatever happened."""

from collections.abc import Sequence
from typing import Any

from examples.running.checks import must

Post = dict[str, Any]


def written(post: Post) -> list[dict[str, Any]]:
    """The comments that stand under a post, in the order in which they were written."""
    return sorted((one for one in post["entries"] if one["place"] is not None), key=lambda one: one["place"])


def must_be_in_order(post: Post, accepted: Sequence[int]) -> None:
    """Every comment that was accepted was written: once, and in the order of submission. Raises Broken."""
    numbers = [one["number"] for one in written(post)]
    which = f"post {post['id']}"
    must(len(numbers) == len(set(numbers)), f"{which} has a comment twice: {numbers}")
    must(set(numbers) == set(accepted), f"{which}: {sorted(set(accepted) ^ set(numbers))} are missing, or too many")
    must(numbers == sorted(numbers), f"{which} has its comments in the order {numbers}")
    must([one["place"] for one in written(post)] == [*range(1, len(numbers) + 1)], f"{which} has gaps")


def most_at_once(posts: Sequence[Post]) -> int:
    """How many comments were being written at the same time; raises Broken if two of them were of one post."""
    spans = [(one["begun"], one["ended"], post["id"]) for post in posts for one in written(post)]
    most = 0
    for moment, _end, _post in spans:
        now = [post_id for begun, ended, post_id in spans if begun <= moment < ended]
        must(len(now) == len(set(now)), f"two comments of one post were being written at the same time: posts {now}")
        most = max(most, len(now))
    return most
