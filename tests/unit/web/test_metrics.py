"""What a gateway counts."""

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from goatherd.testing.suites.event_store import Author
from goatherd.web.gateway import Gateway
from goatherd.web.metrics import GatewayMetrics
from tests.unit.web.conftest import Visit

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"


def samples(text: str) -> dict[str, float]:
    families = text_string_to_metric_families(text)
    return {
        sample.name + "".join(sample.labels.values()): sample.value for family in families for sample in family.samples
    }


async def test_what_happens_is_counted(visit: Visit, author: Author, gateway: Gateway) -> None:
    visitors = [await visit().told("token_recovery") for _ in range(3)]
    await author.say("a", "b")
    for visitor in visitors:
        await visitor.told("token")
    told = samples(gateway.metrics_text())
    assert told["sse_gateway_connections_active"] == 3
    assert told["sse_gateway_active_jobs"] == 1
    assert told["sse_gateway_events_distributed_total"] == 6
    assert told["sse_gateway_queue_dropped_total"] == 0
    assert told["sse_gateway_resync_totalnew"] == 3
    assert told["sse_gateway_ttfb_seconds_count"] == 3
    assert told["sse_gateway_ttfb_seconds_bucket+Inf"] == 3
    assert 0 < told["sse_gateway_ttfb_seconds_sum"] < 60


def test_every_metric_is_described() -> None:
    counted = set(re.findall(r"^# TYPE (\S+) (\w+)$", GatewayMetrics().text(), re.MULTILINE))
    described = re.findall(r"^\| `(sse_gateway_\w+)` \| (\w+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(described) == counted
