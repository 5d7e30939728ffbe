"""How a threaded program is; told even when its I/O thread is stuck."""

from datetime import UTC, datetime, timedelta
from typing import Literal

from goatherd.app import Goatherd
from goatherd.engine.health import DEADLINE as STORES
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.health import Health
from goatherd.sync.asking import ask, refuse_on_a_loop
from goatherd.sync.errand import Errand
from goatherd.sync.process import PROCESS

#: Seconds that the I/O thread may take: what the stores may, and some for itself.
DEADLINE = STORES + 2.0


class _NoAnswer(Exception):
    """The I/O thread did not answer."""


def health_of(app: Goatherd) -> Health:
    """Ask the app on the I/O thread; whatever keeps it from answering is a reason not to be ready."""
    verb = f"{app.name}.health"
    refuse_on_a_loop(verb)
    try:
        thread = PROCESS.io_thread()
        if thread.is_silent:
            return _unready(
                f"the I/O thread has been stuck for {thread.silence:.0f} s at {thread.whereabouts()}", "down"
            )
        return ask(Errand(verb, app, app.health), DEADLINE, _NoAnswer)
    except _NoAnswer as error:
        return _unready(str(error), "connecting")
    except (Unavailable, TopologyMismatch) as error:
        return _unready(f"broker: {error}", "down")


def _unready(reason: str, broker: Literal["connecting", "down"]) -> Health:
    thread = PROCESS.thread
    silence = thread.silence if thread is not None else 0.0
    return Health(
        ready=False,
        reasons=[reason],
        ports={"broker": broker},
        queues={},
        loop_alive=thread is not None and not thread.is_over and not thread.is_silent,
        last_heartbeat=datetime.now(UTC) - timedelta(seconds=silence),
    )
