"""Every name that other programs rely on: queues, keys with their lives, events, metrics."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx2
import pika
import pytest
import redis

from examples.chat.story.stage import Stage
from examples.chat.story.watcher import Frame
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import Management, with_virtual_host
from scripts.servers.redis import Redis
from tests.acceptance.chat.conftest import ON_SERVERS
from tests.acceptance.chat.premises import chat_in

pytestmark = ON_SERVERS
HOUR, DAY = 3600, 86400
#: A client of Redis, whose types do not say which of the two kinds of answers it gives.
Client: TypeAlias = Any


@dataclass(frozen=True)
class World:
    """What is left after three questions: one was answered, one given up, one is half answered."""

    stage: Stage
    streams: Client
    pubsub: Client
    broker: Management
    virtual_host: str
    answered: str
    given_up: str
    frames: list[Frame]
    calls: list[str]

    def queue(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.broker.ask("GET", f"queues/{self.virtual_host}/{name}")
        return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two servers for streams and for calls, so that the router has to relay; short waits; else as it comes."""
    folder = tmp_path_factory.mktemp("chat")
    broker = management()
    with (
        Redis(folder / "streams") as streams,
        Redis(folder / "pubsub") as pubsub,
        broker.virtual_host() as virtual_host,
        redis.Redis.from_url(streams.url) as stream_client,
        redis.Redis.from_url(pubsub.url) as pubsub_client,
    ):
        settings = {
            "CHAT_RABBITMQ_URL": with_virtual_host(amqp_url(), virtual_host),
            "REDIS_STREAMS_URL": streams.url,
            "REDIS_PUBSUB_URL": pubsub.url,
            "SSE_KEEPALIVE_INTERVAL": "0.4",
            "SSE_MAX_WAIT_SECONDS": "1",
        }
        with chat_in(folder, settings) as stage:
            played = play(stage, stream_client, pubsub_client)
            yield World(stage, stream_client, pubsub_client, broker, virtual_host, *played)


def play(stage: Stage, streams: Client, pubsub: Client) -> tuple[str, str, list[Frame], list[str]]:
    """Three questions; the jobs of the first two, all that was seen, and the channels on which was called."""
    frames: list[Frame] = []
    listener = pubsub.pubsub()
    listener.psubscribe("*")
    with stage.half_an_answer() as (answered, watcher, _):
        # The whole text for who comes late, then silence, until it is sent away; then nothing at all.
        with stage.watch(answered) as late:
            late.wait("a time-out", lambda: any(frame.id is None for frame in late.of("error")))
            frames += late.frames
        stage.model.go_on()
        watcher.end()
        frames += watcher.frames
    stage.model.refuse(1, 400)
    given_up = stage.ask(stage.a_question())
    with stage.watch(given_up, after="earliest") as watcher:
        watcher.end()
        frames += watcher.frames
    until = time.monotonic() + 20
    while not streams.exists("chat:dlq"):
        assert time.monotonic() < until, "the router does not note the failed job"
        time.sleep(0.05)
    calls = set()
    while (call := listener.get_message(timeout=0.2)) is not None:
        calls.add(call["channel"].decode() if isinstance(call["channel"], bytes) else call["channel"])
    listener.close()
    return answered["job_id"], given_up["job_id"], frames, sorted(calls)


#: Keys of the answered job and of all jobs: the server, the key, its kind, and the seconds for which it is kept.
KEYS = [
    ("streams", "chat:state:{job}", b"hash", HOUR),
    ("streams", "chat:token_state:{job}", b"string", HOUR),
    ("streams", "chat:log:{job}", b"stream", HOUR),
    ("streams", "chat:dlq", b"stream", 7 * DAY),
    ("pubsub", "router:published:{job}", b"string", 2 * HOUR),
]


@pytest.mark.parametrize(("server", "name", "kind", "seconds"), KEYS)
def test_a_key_and_how_long_it_is_kept(world: World, server: str, name: str, kind: bytes, seconds: int) -> None:
    client = world.streams if server == "streams" else world.pubsub
    key = name.format(job=world.answered)
    assert client.type(key) == kind
    assert seconds - 60 <= client.ttl(key) <= seconds


def test_what_the_keys_hold(world: World) -> None:
    state = world.streams.hgetall(f"chat:state:{world.answered}")
    assert (state[b"status"], state[b"stage"], state[b"closed"]) == (b"done", b"answer", b"1")
    text = json.loads(state[b"result"])["text"]
    assert world.streams.get(f"chat:token_state:{world.answered}") == text.encode()
    last = world.streams.xrevrange(f"chat:log:{world.answered}", count=1)[0][0]
    assert last == b"0-" + state[b"seq"]
    relayed = world.pubsub.get(f"router:published:{world.answered}")
    assert relayed == state[b"epoch"] + b"-" + state[b"seq"]
    [(_, letter)] = world.streams.xrange("chat:dlq")
    assert letter[b"job"].decode() == world.given_up


def test_events_are_spread_over_the_shards_for_the_routers(world: World) -> None:
    shards = sorted(world.streams.keys("chat:events:*"))
    assert shards == [f"chat:events:{number}".encode() for number in range(4)]
    for shard in shards:
        assert world.streams.ttl(shard) > 0
        assert [group["name"] for group in world.streams.xinfo_groups(shard)] == [b"eventrouter"]


def test_watchers_are_called_on_the_channel_of_their_job(world: World) -> None:
    assert f"sse:events:{world.answered}" in world.calls


#: What a client may rely on in the data of each event.
EVENTS = {
    "queued": {"stage": "queued", "status": "queued", "seq": int},
    "started": {"stage": "started", "status": "running", "seq": int, "worker": str},
    "intent": {"stage": "intent", "status": "completed", "seq": int, "progress": 10},
    "retrieval": {"stage": "retrieval", "status": "completed", "seq": int, "progress": 50},
    "answer": {"stage": "answer", "status": str, "seq": int, "progress": 60},
    "token": {"stage": "token", "content": str, "seq": int, "node": "answer"},
    "token_recovery": {"accumulated": str, "last_seq": int, "completed": False},
    "keepalive": {"type": "keepalive", "timestamp": object},
    "reconnect": {"reason": "max_wait"},
    "done": {"stage": "done", "status": "completed", "seq": int, "result": dict},
}


@pytest.mark.parametrize(("event", "members"), EVENTS.items())
def test_the_shape_of_an_event(world: World, event: str, members: dict[str, Any]) -> None:
    found = [frame for frame in world.frames if frame.event == event]
    assert found, f"there was no {event}"
    for frame in found:
        for name, value in members.items():
            told = frame.data[name]
            assert isinstance(told, value) if isinstance(value, type) else told == value, (name, frame)
        # Only what moves a client on has an id; for who comes late, a stage stands for what was before.
        assert frame.id is not None or event in ("keepalive", "reconnect", "answer")


def test_the_two_kinds_of_errors(world: World) -> None:
    errors = [frame for frame in world.frames if frame.event == "error"]
    # Whoever watched from the beginning may have been sent away, too, before the answer went on.
    timeouts = [frame.data for frame in errors if frame.id is None]
    assert timeouts
    assert all(data == {"type": "error", "error": "timeout", "message": "Max wait exceeded"} for data in timeouts)
    [failure] = [frame for frame in errors if frame.id is not None]
    told = (failure.data["type"], failure.data["stage"], failure.data["status"], failure.data["error"])
    assert told == ("error", "error", "failed", "GiveUp")
    assert "400" in failure.data["message"]


METRICS = {
    "sse_gateway_connections_active": "gauge",
    "sse_gateway_active_jobs": "gauge",
    "sse_gateway_events_distributed_total": "counter",
    "sse_gateway_queue_dropped_total": "counter",
    "sse_gateway_ttfb_seconds": "histogram",
}


@pytest.mark.parametrize(("name", "kind"), METRICS.items())
def test_a_metric_of_the_gateway(world: World, name: str, kind: str) -> None:
    text = httpx2.get(f"{world.stage.chat.gateway_url}/metrics", timeout=10).text
    assert f"# TYPE {name} {kind}\n" in text


def test_a_stream_by_last_token_seq_and_by_the_legacy_route(world: World) -> None:
    with world.stage.half_an_answer() as (job, watcher, expected):
        token = {"Authorization": f"Bearer {job['stream_token']}"}
        seq = watcher.of("token")[0].data["seq"]
        begun = watcher.of("token")[0].data["content"]
        world.stage.model.go_on()
        watcher.end()
    gateway = world.stage.chat.gateway_url
    rest = httpx2.get(f"{job['stream_url']}?last_token_seq={seq}", headers=token, timeout=10).text
    tokens = [json.loads(block.partition("data: ")[2]) for block in rest.split("\n\n") if "event: token\n" in block]
    assert begun + "".join(told["content"] for told in tokens) == expected
    legacy = httpx2.get(f"{gateway}/api/v1/stream?job_id={job['job_id']}", headers=token, timeout=10).text
    assert "event: done\n" in legacy


#: Queue and its arguments.
QUEUES = {
    "chat.process": {
        "x-message-ttl": 3_600_000,
        "x-dead-letter-exchange": "dlx",
        "x-dead-letter-routing-key": "dlq.chat.process",
    },
    "dlq.chat.process": {"x-message-ttl": 604_800_000},
}


@pytest.mark.parametrize(("name", "arguments"), QUEUES.items())
def test_a_queue(world: World, name: str, arguments: dict[str, Any]) -> None:
    queue = world.queue(name)
    assert (queue["type"], queue["durable"], queue["auto_delete"]) == ("classic", True, False)
    told = {argument: value for argument, value in queue["arguments"].items() if argument != "x-queue-type"}
    assert told == arguments


@pytest.mark.parametrize(
    ("exchange", "queue"), [("chat_tasks", "chat.process"), ("dlx", "dlq.chat.process")], ids=["chat_tasks", "dlx"]
)
def test_an_exchange_and_its_binding(world: World, exchange: str, queue: str) -> None:
    told = world.broker.ask("GET", f"exchanges/{world.virtual_host}/{exchange}")
    assert (told["type"], told["durable"], told["auto_delete"]) == ("direct", True, False)
    bound = world.broker.ask("GET", f"bindings/{world.virtual_host}/e/{exchange}/q/{queue}")
    assert [binding["routing_key"] for binding in bound] == [queue]


def test_a_message_and_a_dead_letter(world: World) -> None:
    """Both as another program takes them from the queues."""
    world.stage.chat.worker.stop()
    accepted = world.stage.ask("Hello!")
    url = with_virtual_host(amqp_url(), world.virtual_host)
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        channel = connection.channel()
        _, asked, body = channel.basic_get("chat.process")
        _, dead, letter = channel.basic_get("dlq.chat.process")
    world.stage.chat.worker.start()
    told = json.loads(body)
    job_id = accepted["job_id"]
    assert sorted(told) == ["args", "kwargs", "labels", "labels_types", "task_id", "task_name"]
    assert (told["task_id"], told["task_name"], told["args"]) == (job_id, "chat.process", [])
    assert told["kwargs"] == {
        "job_id": job_id, "session_id": world.stage.chat_id, "message": "Hello!", "user_id": None, "image_url": None,
        "user_location": None, "model": None,
    }  # fmt: skip
    assert (asked.headers["task_id"], asked.headers["task_name"]) == (job_id, "chat.process")
    assert json.loads(letter)["task_id"] == dead.headers["task_id"] == world.given_up
