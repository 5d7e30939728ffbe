"""Say that something stays on this machine while jobs go to others."""

import logging


def warn_of_local_store(log: logging.Logger, what: str, url: str, mend: str) -> None:
    """`what` says what is done in that file, `mend` which setting to set, and to what."""
    log.warning(
        "The broker is on the network, but %s in the file of %s, which other machines do not see; set %s",
        what,
        url,
        mend,
    )
