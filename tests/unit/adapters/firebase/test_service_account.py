"""A service account of Google's, with its own library and a stand-in for where tokens are given."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from goatherd.adapters.firebase.address import read_address
from goatherd.adapters.firebase.tokens import tokens_for
from goatherd.errors import SettingsError, Unavailable

ADDRESS = read_address("firebase+https://db.firebaseio.com/commands")


class Office:
    """Gives tokens, or none."""

    def __init__(self) -> None:
        self.given = 0
        self.answer: tuple[int, dict[str, object]] | None = None
        office = self

        class Desk(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                office.given += 1
                token = {"access_token": f"token {office.given}", "expires_in": 3600, "token_type": "Bearer"}
                status, told = office.answer or (200, token)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(told).encode())

            def log_message(self, format: str, *args: object) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Desk)
        self.url = f"http://127.0.0.1:{self._server.server_port}/token"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def office() -> Iterator[Office]:
    opened = Office()
    yield opened
    opened.close()


@pytest.fixture
def account(office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path / "account.json"
    told = {"type": "service_account", "client_email": "a@b.c", "private_key": key.decode(), "token_uri": office.url}
    file.write_text(json.dumps(told))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))


@pytest.mark.usefixtures("account")
async def test_a_token_is_used_until_it_is_renewed(office: Office) -> None:
    tokens = tokens_for(ADDRESS)
    for _ in range(2):
        assert (await tokens.current()).headers == {"Authorization": "Bearer token 1"}
    assert await tokens.renew()
    assert (await tokens.current()).headers == {"Authorization": "Bearer token 2"}
    assert "token" not in repr(await tokens.current())


@pytest.mark.usefixtures("account")
async def test_an_account_that_is_refused(office: Office) -> None:
    office.answer = (400, {"error": "invalid_grant", "error_description": "Invalid JWT"})
    with pytest.raises(SettingsError, match="gives no token for the service account"):
        await tokens_for(ADDRESS).current()


@pytest.mark.usefixtures("account")
async def test_an_office_that_is_away(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = tokens_for(ADDRESS)

    def away(*_: object, **__: object) -> None:
        raise import_module("google.auth.exceptions").TransportError("no route")

    monkeypatch.setattr("google.oauth2.service_account.Credentials.refresh", away)
    with pytest.raises(Unavailable, match=r"gives no token.*now: no route"):
        await tokens.current()


def test_a_file_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(SettingsError, match="names no file of a service account"):
        tokens_for(ADDRESS)
