"""Whether the program in this container is well: exit code 0 if HEALTH_URL is answered with 200, else 1.

For HEALTHCHECK of Docker and `healthcheck` of Compose; Kubernetes asks by itself.
"""

import os
import sys
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

#: Where a role says how it is, with `--health-port 9464`.
USUAL = "http://127.0.0.1:9464/readyz"
#: Seconds to answer; less than the container engine waits for this program.
PATIENCE = 4.0


def ask(url: str) -> tuple[bool, str]:
    """Whether all is well, and what was said."""
    place = urlsplit(url)
    connection = HTTPConnection(place.hostname or "127.0.0.1", place.port or 80, timeout=PATIENCE)
    try:
        connection.request("GET", place.path or "/")
        answer = connection.getresponse()
        said = answer.read(4096).decode(errors="replace").strip()
    except (OSError, HTTPException) as error:
        return False, f"{url} cannot be asked: {error}"
    finally:
        connection.close()
    return answer.status == 200, f"{answer.status}: {said}"


if __name__ == "__main__":
    well, told = ask(os.environ.get("HEALTH_URL") or USUAL)
    print(told)
    sys.exit(0 if well else 1)
