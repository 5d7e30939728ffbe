"""An app whose schedulers look ten times a second and tell at once, for processes that are killed."""

from goatherd import Goatherd
from goatherd.engine.alerts import watch

#: Else whoever comes after one that died while it was telling waits for a minute.
watch.HOLD = 2.0

app = Goatherd("shop", metrics_every=0.1, alert_after=0, alert_lag=0.01)


@app.task
async def work() -> None: ...
