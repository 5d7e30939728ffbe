"""The web service, put together."""

from flask import Flask

from examples.kitchen.main import ai_routes, crawl_routes, job_routes
from examples.kitchen.main.errors import tell_errors
from examples.kitchen.main.health_routes import health_routes
from examples.kitchen.main.herd import settings
from examples.kitchen.main.log_lines import ContractLines
from examples.kitchen.main.traffic import Traffic


def make_web() -> Flask:
    """All endpoints; nothing is opened before the first request, so that a server may fork first."""
    web = Flask("kitchen")
    web.config["MAX_CONTENT_LENGTH"] = settings.most_bytes
    lines = ContractLines()
    lines.listen()
    traffic = Traffic()
    traffic.watch(web)
    for module in (ai_routes, crawl_routes, job_routes):
        web.register_blueprint(module.routes)
    web.register_blueprint(health_routes(traffic, lines))
    tell_errors(web)
    return web
