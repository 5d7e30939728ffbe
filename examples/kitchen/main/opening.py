"""Open the app as soon as the broker is there, while HTTP is served already."""

import logging
import threading
from contextlib import ExitStack

from examples.kitchen.main.herd import herd
from goatherd import GoatherdError, Unavailable
from goatherd.errors import TopologyMismatch

#: Seconds between two attempts: at first, and at the most.
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0
#: Seconds that HTTP waits for the first attempt.
FIRST_TRY = 10.0

log = logging.getLogger("kitchen")


class Opening:
    """Takes the crawler's answers from the start of the process, also those to requests of its predecessor.

    Once the app is open, Goatherd itself finds its way back to a broker that was away; only the first time is ours.
    """

    def __init__(self) -> None:
        #: Why it will never open, so that somebody must change something.
        self.failure: GoatherdError | None = None
        self._tried = threading.Event()
        self._life = ExitStack()
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._open, name="kitchen-opening", daemon=True)

    def start(self) -> None:
        """Begin in the background; after a fork, call it in the child."""
        self._thread.start()

    def await_first_try(self) -> None:
        """Return when it is open, or when the broker is known to be away; raises what keeps it from ever opening."""
        self._tried.wait(FIRST_TRY)
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """Take no more answers, and let go of the broker."""
        self._enough.set()
        self._thread.join()
        self._life.close()
        herd.close()

    def _open(self) -> None:
        wait = FIRST_WAIT
        while not self._enough.is_set():
            try:
                self._life.enter_context(herd.serve("worker"))
            except (Unavailable, TopologyMismatch) as error:
                # A queue that is not as we need it can be put right while we wait.
                log.warning("Not open yet, trying again in %g s: %s", wait, error)
            except GoatherdError as error:
                log.critical("This process can never do its work: %s", error)
                self.failure = error
                return
            else:
                return
            finally:
                self._tried.set()
            self._enough.wait(wait)
            wait = min(2 * wait, LONGEST_WAIT)
