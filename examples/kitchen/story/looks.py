"""What an operator sees afterwards."""

from examples.kitchen.story.stage import Stage
from examples.kitchen.story.user import metric
from examples.running.checks import Broken, must

QUEUES = {"crawling_request_queue", "crawling_response_queue", "recipe_analysis_request"}
AI_ENDPOINTS = ("/api/ai/analyze-recipe", "/api/ai/analyze-image")


def health(stage: Stage) -> str:
    """Look at /health."""
    told = stage.user.get("/health").json
    must(told["queues"].keys() >= QUEUES, f"the queues are {list(told['queues'])}")
    queues = {name: told["queues"][name] for name in QUEUES} | {"callback": told["callback_queue"]}
    consumers = {name: queue["consumers"] for name, queue in queues.items()}
    must(set(consumers.values()) == {1}, f"the consumers are {consumers}")
    depths = {name: queue["depth"] for name, queue in queues.items()}
    must(set(depths.values()) == {0}, f"there wait {depths}")
    must(told["io_thread"]["alive"] is True, "the I/O thread is not alive")
    ratio = told["endpoints"]["/api/ai/analyze-recipe"]["ratio"]
    must(0 < ratio < 1, f"{ratio} of the recipes timed out")
    return (
        f"one consumer and nothing waiting on each queue and on the callback queue; time-outs: {ratio:.0%} of recipes"
    )


def metrics(stage: Stage) -> str:
    """Look at /metrics: what clients saw and what Goatherd counted is the same."""
    text = stage.user.get("/metrics").text

    def seen(*statuses: int) -> float:
        return sum(
            metric(text, "kitchen_http_requests_total", endpoint=endpoint, status=str(status))
            for endpoint in AI_ENDPOINTS
            for status in statuses
        )

    expected = {"answered": seen(200, 422), "timeout": seen(504), "unavailable": seen(503)}
    for outcome, count in expected.items():
        calls = metric(text, "goatherd_calls_total", task="analyse", outcome=outcome)
        must(calls == count, f"{calls:g} calls ended as {outcome}, but clients saw {count:g}")
    return f"calls and answers agree: {expected['answered']:g} answered, {expected['timeout']:g} timed out"


def log(stage: Stage) -> str:
    """Read the log of the main program."""
    main = stage.kitchen.main
    must(main.hear("RabbitMQ-IO-Thread started$") is not None, "there is no line of the I/O thread")
    created = main.hear(r"AI callback queue created: (\S+)$")
    published = main.hear(r"AI request published: (\S+) → reply_to: (\S+)$")
    if created is None or published is None:
        raise Broken("the callback queue or a request is not in the log")
    must(created[1] == published[2], f"{created[0]}, but {published[0]}")
    must(
        main.hear(f"AI response received: correlation_id={published[1]}$") is not None, "there is no line of an answer"
    )
    return "all four lines of the contract"
