"""`goatherd router` for fault runs: a router that dies is replaced within a second instead of fifteen."""

import sys

from goatherd import Goatherd
from goatherd.adapters.redis import feed
from goatherd.cli.main import run

app = Goatherd("faults")

if __name__ == "__main__":
    feed.LEASE = 1.0
    sys.exit(run(["router", "tests.faults.router_program:app"]))
