import os
import subprocess
import sys
import time

from benchmarks.cpu import family, family_ns


def test_a_family_uses_what_its_members_use() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        assert busy.pid in family(os.getpid())
        alone, together = time.process_time_ns(), family_ns(os.getpid())
        deadline = time.monotonic() + 30
        while family_ns(os.getpid()) - together < 50_000_000:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert time.process_time_ns() - alone < 50_000_000
    finally:
        busy.kill()
        busy.wait()
