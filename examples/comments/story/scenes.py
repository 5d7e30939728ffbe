"""What users do on a good day."""

from functools import partial

from examples.comments.story.order import most_at_once, must_be_in_order, written
from examples.comments.story.reader import Reader
from examples.comments.story.stage import Stage, at_once
from examples.running.checks import must

POSTS, CLIENTS, EACH = 4, 5, 5


def one_comment(stage: Stage) -> str:
    """Write a comment."""
    post_id = stage.publish("First")
    accepted = stage.comment(post_id, "Hello!")
    must(accepted["number"] == 1, f"the first comment is {accepted}")
    entry = stage.when_entry(post_id, 1, "done")
    must((entry["text"], entry["author"], entry["place"]) == ("Hello!", "Ada", 1), f"it is {entry}")
    return f"accepted as number 1, written by worker {entry['worker']}"


def many_at_once(stage: Stage) -> str:
    """Several users write to several posts, all at the same time."""
    posts = [stage.publish(f"Busy {number}") for number in range(POSTS)]

    def writes(client: int) -> list[tuple[int, int]]:
        """One after the other, as one would: each post gets this user's comments in this order."""
        texts = [(post_id, f"{client}-{number}") for number in range(EACH) for post_id in posts]
        return [(post, stage.comment(post, text, f"User {client}")["number"]) for post, text in texts]

    accepted = [pair for pairs in at_once([partial(writes, client) for client in range(CLIENTS)]) for pair in pairs]
    shown = stage.settled(*posts)
    for post in shown:
        must_be_in_order(post, [number for post_id, number in accepted if post_id == post["id"]])
        for client in range(CLIENTS):
            own = [one["text"] for one in written(post) if one["author"] == f"User {client}"]
            must(own == [f"{client}-{number}" for number in range(EACH)], f"user {client} sees own comments as {own}")
    most = most_at_once(shown)
    must(most >= 2, "no two comments were written at the same time")
    workers = {one["worker"] for post in shown for one in written(post)}
    return (
        f"{len(accepted)} comments of {CLIENTS} users on {POSTS} posts: each once, in the order of submission; up to "
        f"{most} posts written to at the same time, never two comments of one; by {len(workers)} workers"
    )


def twenty_to_three(stage: Stage) -> str:
    """Write 20 comments at once to three posts, with the page open."""
    posts = [stage.publish(f"Twenty {number}") for number in range(3)]
    with Reader(stage.board.url, posts[0]) as reader:
        drafts = [(post_id, f"Comment {number + 1}") for number in range(20) for post_id in posts]
        accepted = stage.comment_many(drafts)["accepted"]
        must([one["number"] for one in accepted if one["post_id"] == posts[0]] == [*range(1, 21)], f"{accepted}")
        reader.wait("20 comments", lambda: len(reader.seen) == 20)
    must(reader.seen == [*range(1, 21)], f"the page showed them as {reader.seen}")
    shown = stage.settled(*posts)
    for post in shown:
        must_be_in_order(post, range(1, 21))
        texts = [one["text"] for one in written(post)]
        must(texts == [f"Comment {number}" for number in range(1, 21)], f"the texts are {texts}")
    states = sorted({state for _number, state in reader.states})
    return (
        f"60 accepted in one request; an open page saw each as it was written, in order ({', '.join(sorted(states))})"
    )


def edit(stage: Stage) -> str:
    """Edit a comment that is not written yet."""
    post_id = stage.publish("Edited")
    stage.comment_many([(post_id, f"Before {number}") for number in range(5)])
    last = stage.comment(post_id, "A tpyo")
    path = f"/api/v1/posts/{post_id}/comments/{last['id']}"
    for text in ("A typo", "A type, no typo"):
        stage.ask("PATCH", path, {"text": text}, 202)
    entry = stage.when(post_id, "both edits", lambda post: post["entries"][-1]["edits"] == 2)["entries"][-1]
    must(entry["text"] == "A type, no typo", f"it says {entry['text']!r}")
    must(entry["state"] == "done", f"it is {entry}")
    return "both edits waited behind the comment in its lane, and the later one holds"


def likes(stage: Stage) -> str:
    """Like and unlike a post, all at once."""
    post_id = stage.publish("Liked")

    def decides(user: int) -> None:
        """Likes, does not, likes …; who has an odd number likes it in the end."""
        for step in range(4 + user % 2):
            stage.ask("PUT", f"/api/v1/posts/{post_id}/likes/user {user}", {"liked": step % 2 == 0}, 202)

    at_once([partial(decides, user) for user in range(10)])
    # One who comes last, when the lanes of all others may still be busy.
    post = stage.when(post_id, "5 likes, and no lane left", lambda now: now["likes"] == 5 and now["version"] == 46)
    return f"45 changes of mind of 10 users on their own queue: {post['likes']} likes, each user's last word holds"


def close_in_the_middle(stage: Stage) -> str:
    """A moderator closes the comments in the middle."""
    post_id = stage.publish("Closed")
    stage.comment_many([(post_id, f"Before {number}") for number in range(5)])
    stage.ask("PUT", f"/api/v1/posts/{post_id}/closed", {"closed": True}, 202)
    stage.comment_many([(post_id, f"After {number}") for number in range(5)])
    [post] = stage.settled(post_id)
    states = [one["state"] for one in post["entries"]]
    must(states == 5 * ["done"] + 5 * ["refused"], f"they are {states}")
    return "from another queue, in the same lane: the 5 submitted before are written, the 5 after are not"
