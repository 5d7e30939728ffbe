"""Metrics as Prometheus reads them."""

from prometheus_client.parser import text_string_to_metric_families

from goatherd import Goatherd
from goatherd.testing.suites.receiver import eventually


def scraped(app: Goatherd) -> dict[tuple[str, ...], float]:
    """Every value by the name of its metric and the values of its labels, sorted by the labels' names."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(app.metrics())
        for sample in family.samples
    }


async def looked(app: Goatherd) -> dict[tuple[str, ...], float]:
    """The same after a look at what all processes share."""
    [sampler] = app.samplers

    async def begun() -> bool | None:
        return bool(sampler.seen.seen) or None

    # It looks by itself when it starts; a second look meanwhile would see what that one sees.
    await eventually(begun, "the first look")
    await sampler.look()
    return scraped(app)
