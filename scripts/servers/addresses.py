"""Where the servers for tests are, as `python -m scripts.servers` told in the environment."""

import os

from scripts.servers.install import NoServer
from scripts.servers.management import Management

AMQP_URL, MANAGEMENT_URL = "GOATHERD_TEST_AMQP_URL", "GOATHERD_TEST_RABBITMQ_MANAGEMENT_URL"
REDIS_URL = "GOATHERD_TEST_REDIS_URL"
POSTGRES_URL = "GOATHERD_TEST_POSTGRES_URL"
CHROMIUM = "GOATHERD_TEST_CHROMIUM"
NODE_PACKAGES = "GOATHERD_TEST_NODE_PACKAGES"
SPIN = "GOATHERD_TEST_SPIN"
MEDIA = "GOATHERD_TEST_MEDIA"
SYSTEMD_ANALYZE = "GOATHERD_TEST_SYSTEMD_ANALYZE"
PROMTOOL = "GOATHERD_TEST_PROMTOOL"
OLD_TASKIQ = "GOATHERD_TEST_OLD_TASKIQ"


def amqp_url() -> str:
    """The RabbitMQ for tests, without a virtual host; raises NoServer."""
    return _told(AMQP_URL)


def management() -> Management:
    """The management API of the same RabbitMQ; raises NoServer."""
    return Management(_told(MANAGEMENT_URL))


def redis_url() -> str:
    """The Redis for tests; raises NoServer."""
    return _told(REDIS_URL)


def postgres_url() -> str:
    """The PostgreSQL for tests; raises NoServer."""
    return _told(POSTGRES_URL)


def chromium() -> str:
    """The path of the Chromium for tests; raises NoServer."""
    return _told(CHROMIUM)


def node_packages() -> str:
    """The folder in which Node finds the packages for tests; raises NoServer."""
    return _told(NODE_PACKAGES)


def spin() -> str:
    """The path of Spin, which only the long runs need; raises NoServer."""
    return _told(SPIN)


def media() -> str:
    """The folders in which the programs of the dubbing example are; raises NoServer."""
    return _told(MEDIA)


def systemd_analyze() -> str:
    """The path of systemd's judge of unit files; raises NoServer."""
    return _told(SYSTEMD_ANALYZE)


def promtool() -> str:
    """The path of Prometheus's judge of rules; raises NoServer."""
    return _told(PROMTOOL)


def old_taskiq() -> str:
    """The path of a Python that has TaskIQ as it was; raises NoServer."""
    return _told(OLD_TASKIQ)


def _told(variable: str) -> str:
    try:
        return os.environ[variable]
    except KeyError:
        raise NoServer(
            f"{variable} is not set, so this test has no server. Run `make test`, which starts all of them, or "
            f"`python -m scripts.servers rabbitmq redis postgres chromium node media systemd promtool taskiq -- "
            f"python -m pytest …`, or leave such tests out with `make test-embedded`."
        ) from None
