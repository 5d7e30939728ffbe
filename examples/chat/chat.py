"""The four programs together."""

import os
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path

from examples.running.programs import Program, Tell
from examples.running.together import Together


class Chat(Together):
    """`with Chat(...)` runs them all."""

    def __init__(self, folder: Path, settings: Mapping[str, str], tell: Tell) -> None:
        self.folder = folder
        self.tell = tell
        #: Where browsers find the page and the gateway: known beforehand, for each must know the other.
        port, gateway_port = _wanted_port({**os.environ, **settings}), _free_port()
        self.url, self.gateway_url = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{gateway_port}"
        file = f"sqlite:///{folder}/chat.db"
        usual = {
            "GOATHERD_BROKER_URL": file,
            "GOATHERD_EVENTS_URL": file,
            "GOATHERD_RECORDS_URL": file,
            "GOATHERD_SECRET": secrets.token_urlsafe(32),
            # Whoever ends this does not want to wait long.
            "GOATHERD_GRACE_PERIOD": "5",
            "GOATHERD_GATEWAY_DRAIN": "1",
            "CHAT_HISTORY": str(folder / "history.db"),
            "CHAT_LIBRARY": str(folder / "library.db"),
        }
        own = {"CHAT_PORT": port, "CHAT_GATEWAY_URL": self.gateway_url, "PYTHONUNBUFFERED": "1"}
        self.environment = {**usual, **os.environ, **settings, **own}
        origins = [self.url, f"http://localhost:{port}"]
        self.api = self._program("api", ["-m", "examples.chat.api"], "Serving on", tell)
        self.worker = self._goatherd("worker", ["examples.chat.worker.service:chat"], "Taking jobs from", tell)
        self.router = self._goatherd("router", ["examples.chat.herd:chat"], "Events of app", tell)
        self.gateway = self._goatherd("gateway", _gateway(gateway_port, origins), "Streams at", tell)
        self.programs = (self.worker, self.router, self.gateway, self.api)

    def _program(self, name: str, arguments: list[str], ready: str, tell: Tell) -> Program:
        return Program(name, arguments, ready, self.environment, tell)

    def _goatherd(self, role: str, arguments: list[str], ready: str, tell: Tell) -> Program:
        return self._program(role, ["-m", "goatherd", role, *arguments], ready, tell)


def _gateway(port: str, origins: list[str]) -> list[str]:
    allowed = [argument for origin in origins for argument in ("--cors", origin)]
    return ["examples.chat.herd:chat", "examples.chat.herd:scan", "--port", port, *allowed]


def _wanted_port(environment: Mapping[str, str]) -> str:
    """As it is written, right or wrong: chat-api says what is wrong with it."""
    wanted = environment.get("CHAT_PORT") or "8000"
    return wanted if wanted != "0" else _free_port()


def _free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])
