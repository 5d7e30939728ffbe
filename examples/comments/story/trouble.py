"""What users see on a bad day."""

import json

from examples.comments.story.order import most_at_once, must_be_in_order, written
from examples.comments.story.stage import APP, LANE_LIMIT, Stage
from examples.running.checks import must


def worker_killed(stage: Stage) -> str:
    """A worker is killed with -9 in the middle, and started again."""
    posts = [stage.publish(f"Killed {number}") for number in range(3)]
    # One takes so long that it is certainly being written when the worker is killed that does it.
    drafts = [(post, "wait 1" if number == 5 else "quick") for number in range(25) for post in posts]
    accepted = stage.comment_many(drafts)["accepted"]
    victim = stage.board.workers[int(stage.when_entry(posts[0], 6, "writing")["worker"]) - 1]
    restarts = victim.restarts
    victim.kill()
    shown = stage.settled(*posts)
    for post in shown:
        must_be_in_order(post, [one["number"] for one in accepted if one["post_id"] == post["id"]])
    most_at_once(shown)
    victim.await_ready()
    must(victim.restarts == restarts + 1, f"it was restarted {victim.restarts - restarts} times")
    interrupted = written(shown[0])[5]
    must(interrupted["tries"] == 2, f"the comment that it wrote was tried {interrupted['tries']} times")
    again = sum(one["tries"] > 1 for post in shown for one in written(post))
    return f"75 comments: none lost, none twice, all in order; {again} of them were begun a second time"


def fails_once(stage: Stage) -> str:
    """A comment fails, and gets through when it is tried again."""
    post_id, other = stage.publish("Fails once"), stage.publish("Unmoved")
    stage.comment_many([(post_id, "fail 1"), (post_id, "behind it"), (other, "elsewhere")])
    stage.when_entry(other, 1, "done")
    [post] = stage.settled(post_id)
    must_be_in_order(post, [1, 2])
    first, second = written(post)
    must(first["tries"] == 2, f"it was tried {first['tries']} times")
    must(second["begun"] >= first["ended"], "the one behind it did not wait")
    return "tried again after a while; the comment behind it waited, other posts did not"


def held_and_skipped(stage: Stage) -> str:
    """A poison comment holds its post, and only that, until an operator skips it."""
    post_id, other = stage.publish("Held"), stage.publish("Not held")
    stage.comment_many([(post_id, "before"), (post_id, "fail"), (post_id, "behind it")])
    held = stage.when_entry(post_id, 2, "held")
    must(held["tries"] == 3, f"it was tried {held['tries']} times")
    stage.comment(other, "elsewhere")
    stage.when_entry(other, 1, "done")
    must(stage.post(post_id)["entries"][2]["state"] == "waiting", "the one behind it did not wait")
    lanes = json.loads(stage.goatherd("lanes", "list", APP, "--held", "--json"))
    must([lane["key"] for lane in lanes] == [f"posts={post_id}"], f"the held lanes are {lanes}")
    stage.goatherd("lanes", "skip", APP, f"posts={post_id}", "--yes")
    [post] = stage.settled(post_id)
    must_be_in_order(post, [1, 3])
    must(post["entries"][1]["state"] == "skipped", f"it is {post['entries'][1]['state']}")
    letters = [letter for letter in stage.dead_letters() if letter["job_id"] == held["id"]]
    must(len(letters) == 1, f"its dead letters are {letters}")
    return f"3 attempts, then held: {held['told']}; `goatherd lanes skip`: a dead letter, and the post goes on"


def held_and_retried(stage: Stage) -> str:
    """A comment is held until an operator lets it be tried again."""
    post_id = stage.publish("Held for a while")
    stage.comment_many([(post_id, "fail 3"), (post_id, "behind it")])
    stage.when_entry(post_id, 1, "held")
    stage.goatherd("lanes", "retry", APP, f"posts={post_id}")
    [post] = stage.settled(post_id)
    must_be_in_order(post, [1, 2])
    return "`goatherd lanes retry`: written at last, and then the one behind it"


def full_lane(stage: Stage) -> str:
    """A post takes no more than its lane may hold."""
    post_id, other = stage.publish("Full"), stage.publish("Empty")
    stage.comment(post_id, "fail")
    stage.when_entry(post_id, 1, "held")
    told = stage.comment_many([(post_id, f"Comment {number}") for number in range(LANE_LIMIT)], 429)
    must(len(told["accepted"]) == LANE_LIMIT - 1, f"{len(told['accepted'])} were accepted")
    refused = stage.client.post(f"/api/v1/posts/{post_id}/comments", json={"author": "Ada", "text": "One more"})
    must(refused.status_code == 429, f"one more was answered with {refused.status_code}")
    must("Retry-After" in refused.headers, "nobody says when to try again")
    stage.comment(other, "elsewhere")
    stage.goatherd("lanes", "skip", APP, f"posts={post_id}", "--yes")
    [post] = stage.settled(post_id)
    must_be_in_order(post, [one["number"] for one in told["accepted"]])
    stage.comment(post_id, "One more")
    return f"{LANE_LIMIT} wait, one more: 429, “{refused.json()['error'][:40]} …”; other posts take theirs"


def nonsense(stage: Stage) -> str:
    """Send what nobody understands, and to posts that are not there."""
    post_id = stage.publish("Nonsense")
    bad: list[object] = [{}, [], {"text": "a"}, {"author": "Ada", "text": "  "}, {"author": "Ada", "text": 5}]
    for body in bad:
        stage.ask("POST", f"/api/v1/posts/{post_id}/comments", body, 422)
    stage.ask("POST", "/api/v1/posts/999999/comments", {"author": "Ada", "text": "Anybody?"}, 404)
    stage.ask("PUT", "/api/v1/posts/999999/likes/ada", {"liked": True}, 404)
    must(stage.post(post_id)["entries"] == [], "something of it was accepted")
    return f"{len(bad)} bad comments: 422 each; a post that is not there: 404"
