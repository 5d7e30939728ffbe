"""What a user does on a good day."""

from examples.chat.story.stage import Stage
from examples.running.checks import must

STAGES = ["queued", "started", "intent", "retrieval", "answer", "token", "done"]


def without_a_model(stage: Stage) -> str:
    """Ask, and be answered from the documents."""
    accepted = stage.ask("How do I retry a failed job?", model="offline")
    with stage.watch(accepted, after="earliest") as watcher:
        result = watcher.end().data["result"]
        must(watcher.names() == STAGES, f"the stages are {watcher.names()}")
        must(watcher.text == result["text"], f"the watcher's text is {watcher.text!r}")
    must("No language model" in result["text"], f"the answer does not say what it is: {result['text']!r}")
    must("howto/retry.md" in result["sources"], f"the answer is from {result['sources']}")
    return (
        f"{len(result['text'].split())} words from {', '.join(result['sources'])}, which say that no model is at work"
    )


def with_a_model(stage: Stage) -> str:
    """Ask, and see the words of a language model as they come."""
    with stage.half_an_answer() as (_accepted, watcher, expected):
        first = watcher.of("token")[0].at - watcher.began
        stage.model.go_on()
        stage.must_be_right(watcher, expected)
    return f"the first word after {1000 * first:.0f} ms; stages and {len(expected.split(' '))} words, all in order"


def a_picture(stage: Stage) -> str:
    """Send a picture along."""
    question = stage.a_question()
    accepted = stage.ask(question, image_url="https://example.com/goat.png")
    with stage.watch(accepted, after="earliest") as watcher:
        watcher.end()
        must(watcher.names() == [*STAGES[:3], "vision", *STAGES[3:]], f"the stages are {watcher.names()}")
        seen = watcher.of("vision")[-1].data["fields"]["picture"]
    return f"a stage more, in which is seen: {seen[:30]} …"


def a_tunnel(stage: Stage) -> str:
    """Lose the connection in the middle of an answer, and come back by Last-Event-ID."""
    with stage.half_an_answer() as (_accepted, watcher, expected):
        watcher.drop()
        stage.model.go_on()
        stage.must_be_right(watcher, expected)
        must(watcher.connections == 2, f"there were {watcher.connections} connections")
        must(not watcher.of("token_recovery"), "it got the whole text again instead of what was missing")
    return "goes on where it was: nothing is missing, nothing came twice"


def two_watchers(stage: Stage) -> str:
    """Open a second window in the middle of an answer."""
    with stage.half_an_answer() as (accepted, early, expected), stage.watch(accepted) as late:
        late.wait_for_words(20)
        must(late.text == early.text, f"the second sees {late.text!r}, the first {early.text!r}")
        stage.model.go_on()
        stage.must_be_right(early, expected)
        stage.must_be_right(late, expected)
    return "the second begins with the text so far; both end with the same"


def a_reload(stage: Stage) -> str:
    """Reload the page in the middle of an answer."""
    with stage.half_an_answer() as (accepted, watcher, expected):
        [latest] = stage.get(f"/api/v1/chat/{stage.chat_id}/messages")["messages"][-1:]
        must(latest["job_id"] == accepted["job_id"] and latest["stream"] is not None, f"the history ends with {latest}")
        must(expected.startswith(latest["answer"]) and latest["answer"] != "", f"the answer so far is {latest}")
        with stage.watch(latest["stream"]) as again:
            stage.model.go_on()
            stage.must_be_right(again, expected)
        stage.must_be_right(watcher, expected)
    [latest] = stage.get(f"/api/v1/chat/{stage.chat_id}/messages")["messages"][-1:]
    must((latest["status"], latest["answer"]) == ("done", expected), f"the history ends with {latest}")
    return "the history has the text so far and where it goes on; afterwards, the whole answer"


def stop(stage: Stage) -> str:
    """Stop an answer."""
    with stage.half_an_answer() as (accepted, watcher, _expected):
        left = stage.model.left
        must(stage.post(accepted["cancel_url"], None, 200)["cancelled"], "it could not be stopped")
        end = watcher.end()
        must((end.event, end.data["status"]) == ("error", "cancelled"), f"it ended with {end.data}")
        must(stage.model.wait_until_left(left + 1), "the worker goes on asking the language model")
        must(not stage.post(accepted["cancel_url"], None, 200)["cancelled"], "it could be stopped twice")
    return "its watchers are told, and the language model is not asked any more; a second time: too late"


def add_a_text(stage: Stage) -> str:
    """Add a text to the documents and ask about it."""
    text = "# Bellwethers\n\nA bellwether is the sheep that leads the flock and wears a bell."
    accepted = stage.post("/api/v1/scan", {"name": "bellwether", "text": text}, 202)
    with stage.watch(accepted) as watcher:
        end = watcher.end()
        must((end.event, end.data["result"]) == ("done", 1), f"it ended with {end.data}")
    with stage.watch(stage.ask("What is a bellwether?", model="offline")) as watcher:
        text = watcher.end().data["result"]["text"]
    must("wears a bell" in text, f"the answer is {text!r}")
    return "watched as the domain `scan` on the same gateway; the next answer is from it"
