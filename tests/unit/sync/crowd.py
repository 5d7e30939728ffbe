"""Many threads at once."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

#: Seconds after which a thread counts as hanging.
PATIENCE = 45.0


def all_at_once(function: Callable[[Any], Any], arguments: Iterable[Any]) -> list[Any]:
    """Call it in a thread for each argument, all starting together; what each returned or raised, in order."""
    given = list(arguments)
    outcomes: list[Any] = [None] * len(given)
    start = threading.Barrier(len(given))

    def call(place: int, argument: Any) -> None:
        start.wait()
        try:
            outcomes[place] = function(argument)
        except Exception as error:  # noqa: BLE001 - it is what the test wants to see
            outcomes[place] = error

    threads = [threading.Thread(target=call, args=each, daemon=True) for each in enumerate(given)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not [thread for thread in threads if thread.is_alive()], "a verb hangs"
    return outcomes
