"""What a user sees on a bad day."""

import signal
import socket

from examples.kitchen.kitchen import web_program
from examples.kitchen.story.stage import AI_SECONDS, RECIPE, Stage
from examples.kitchen.story.user import Answered, User
from examples.running.checks import must

#: Seconds by which an answer may come later than its deadline.
LATE = 1.0


def ai_down(stage: Stage) -> str:
    """Ask while the AI service is down: the request is accepted, and nobody answers."""
    stage.kitchen.ai.stop()
    answered = _unanswered_recipe(stage)
    stage.kitchen.ai.start()
    stage.read_recipe()
    return f"504 after {answered.seconds:.1f} s, Retry-After {_wait(answered)} s; all is well when it is back"


def ai_hangs(stage: Stage) -> str:
    """Ask while the AI service hangs: when it goes on, it leaves alone what nobody waits for."""
    answered = _asked_while_it_hangs(stage)
    while answered.status == 503:
        # It was stopped in the middle of a write and held the lock of the file, so nothing could be accepted.
        answered = _asked_while_it_hangs(stage)
    left = stage.kitchen.ai.hear(rf"The call analyse\[{answered.json['error']['job_id']}\] (expired|cancelled)")
    must(left is not None, "it worked on what nobody waits for")
    stage.read_recipe()
    return f"504 after {answered.seconds:.1f} s; when it goes on, it leaves alone what nobody waits for"


def _asked_while_it_hangs(stage: Stage) -> Answered:
    stage.kitchen.ai.tell(signal.SIGSTOP)
    try:
        return _unanswered_recipe(stage, 503, 504)
    finally:
        stage.kitchen.ai.tell(signal.SIGCONT)


def ai_killed(stage: Stage) -> str:
    """Ask while the AI service is started again, after it was killed."""
    restarts = stage.kitchen.ai.restarts
    stage.kitchen.ai.kill()
    answered = stage.read_recipe()
    stage.kitchen.ai.await_ready()
    must(stage.kitchen.ai.restarts == restarts + 1, "it was not started again")
    return f"it is started again, and answers after {answered.seconds:.1f} s what was asked meanwhile"


def broker_away(stage: Stage) -> str:
    """Ask a service whose broker cannot be reached."""
    nowhere = f"amqp://127.0.0.1:{_port_of_nobody()}/"
    environment = {**stage.kitchen.environment, "KITCHEN_PORT": "0", "RABBITMQ_URL": nowhere}
    lonely = web_program("lonely", environment, stage.kitchen.tell)
    lonely.start()
    user = User(lonely.match[1])
    try:
        answered = user.post("/api/ai/analyze-recipe", {"text": RECIPE}, 503)
        for path in ("/api/crawling/crawl", "/api/crawling/crawl?sync=1"):
            user.post(path, {"url": stage.site.url}, 503)
        health = user.get("/health", 503).json
    finally:
        user.close()
        lonely.stop()
    must(health["status"] == "unready" and health["io_thread"]["alive"], f"its health is {health}")
    return f"503 after {answered.seconds:.1f} s, Retry-After {_wait(answered)} s; /health says unready"


def _unanswered_recipe(stage: Stage, *expected: int) -> Answered:
    answered = stage.user.post("/api/ai/analyze-recipe", {"text": RECIPE}, *(expected or (504,)))
    must(answered.seconds < AI_SECONDS + LATE, f"the answer took {answered.seconds:.1f} s")
    return answered


def _wait(answered: Answered) -> int:
    must("Retry-After" in answered.headers, "the client is not told when to come again")
    return int(answered.headers["Retry-After"])


def _port_of_nobody() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
