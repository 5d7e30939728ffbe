"""Workers, broker and network fail again and again: no accepted job is lost, and no healthy one is given up."""

from pathlib import Path

import pytest

from scripts.servers.management import with_virtual_host
from scripts.servers.proxy import Proxy
from scripts.servers.rabbitmq import RabbitMQ
from tests.faults.arena import Arena
from tests.faults.storm import Outcome, Storm, broker_killed, cut, frozen, stalled

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("harmed broker")]


def through(proxy: Proxy, virtual_host: str) -> str:
    return with_virtual_host(f"amqp://guest:guest@127.0.0.1:{proxy.port}", virtual_host)


def check(outcome: Outcome) -> None:
    nothing: frozenset[str] = frozenset()
    verdict = outcome.verdict
    print(f"\n{outcome}")  # noqa: T201 - the figures are for a person
    assert (verdict.lost, verdict.dead, verdict.unasked) == (nothing, nothing, nothing), str(outcome)
    assert outcome.without_reason <= outcome.published_again, f"jobs ran again without a reason: {outcome}"


@pytest.mark.timeout(180)
async def test_a_short_storm_loses_nothing(rabbitmq: RabbitMQ, virtual_host: str, tmp_path: Path) -> None:
    async with Proxy(rabbitmq.port) as proxy, Arena(tmp_path, seed=7, broker_url=through(proxy, virtual_host)) as arena:
        plan = [(0.1, cut), (0.2, broker_killed), (0.6, stalled(2)), (0.8, cut)]
        outcome = await Storm(arena, rabbitmq, proxy, jobs=5_000).rage(plan, pause=(0.5, 1.5), deadline=160)
        check(outcome)
        assert outcome.kills >= 5


@pytest.mark.chaos
async def test_a_hundred_thousand_jobs_in_a_long_storm(
    rabbitmq: RabbitMQ, virtual_host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        Proxy(rabbitmq.port) as proxy,
        Arena(tmp_path, seed=2026, broker_url=through(proxy, virtual_host)) as arena,
    ):
        plan = [
            (0.05, cut), (0.15, broker_killed), (0.30, stalled(8)), (0.40, frozen(30)), (0.50, cut),
            (0.60, broker_killed), (0.70, stalled(20)), (0.80, cut), (0.90, stalled(3)),
        ]  # fmt: skip
        outcome = await Storm(arena, rabbitmq, proxy, jobs=100_000).rage(plan, pause=(2.0, 5.0), deadline=1_200)
        with capsys.disabled():
            check(outcome)
        assert outcome.kills >= 30
