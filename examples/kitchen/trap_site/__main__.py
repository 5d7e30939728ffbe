"""Serve the site until Ctrl-C: python -m examples.kitchen.trap_site"""

import threading
from contextlib import suppress

from examples.kitchen.trap_site.server import TrapSite


def main() -> None:
    with TrapSite() as site, suppress(KeyboardInterrupt):
        print(f"{site.url}/ until Ctrl-C", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
