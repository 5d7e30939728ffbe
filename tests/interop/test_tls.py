"""A broker that speaks TLS and wants to know its clients, with certificates of a private authority."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
import trustme

from goatherd import Goatherd, GoatherdError
from goatherd.errors import SettingsError
from scripts.servers.ports import free_ports
from scripts.servers.rabbitmq import RabbitMQ, ensure_rabbitmq
from tests.interop.stage import Told

# The broker is started once, which takes a while, so all cases stay in one process.
pytestmark = [pytest.mark.servers, pytest.mark.timeout(180), pytest.mark.xdist_group("tls")]

CONFIGURATION = """
listeners.ssl.1 = 127.0.0.1:{port}
ssl_options.cacertfile = {folder}/authority.pem
ssl_options.certfile = {folder}/server.pem
ssl_options.keyfile = {folder}/server.key
ssl_options.verify = verify_peer
ssl_options.fail_if_no_peer_cert = true
"""


@dataclass(frozen=True)
class Secured:
    """The broker's secure port, its plain one, and where the certificates are."""

    port: int
    plain_port: int
    folder: Path

    def url(self, *, scheme: str = "amqps", host: str = "localhost", port: int | None = None, **options: str) -> str:
        query = urlencode({name: str(self.folder / file) if "file" in name else file for name, file in options.items()})
        return f"{scheme}://guest:guest@{host}:{port or self.port}/?{query}"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("tls")
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    stranger.cert_pem.write_to_path(folder / "stranger.pem")
    issued = {
        "server": authority.issue_cert("localhost"),
        "client": authority.issue_cert("shop.example"),
        "impostor": stranger.issue_cert("shop.example"),
    }
    for name, certificate in issued.items():
        certificate.private_key_pem.write_to_path(folder / f"{name}.key")
        certificate.cert_chain_pems[0].write_to_path(folder / f"{name}.pem")
    ensure_rabbitmq()
    [port] = free_ports(1)
    with RabbitMQ(folder / "broker", CONFIGURATION.format(port=port, folder=folder)) as broker:
        yield Secured(port, broker.port, folder)


async def complaint(url: str) -> str:
    """What is said when this does not work."""
    with pytest.raises(GoatherdError) as caught:
        async with Goatherd("shop", broker_url=url):
            pass
    assert isinstance(caught.value, SettingsError)
    return str(caught.value)


async def test_both_sides_know_each_other(secured: Secured) -> None:
    url = secured.url(cafile="authority.pem", certfile="client.pem", keyfile="client.key")
    app = Goatherd("shop", broker_url=url)
    told = Told()

    @app.task
    async def store(text: str) -> None:
        told(len(text))

    async with app.serve("worker"):
        await store.send("x" * 500_000)
        assert await told.next() == 500_000


async def test_a_server_of_another_authority_is_not_trusted(secured: Secured) -> None:
    said = await complaint(secured.url(cafile="stranger.pem", certfile="client.pem", keyfile="client.key"))
    assert "certificate verify failed" in said
    assert "cafile" in said


async def test_a_server_under_another_name_is_not_trusted(secured: Secured) -> None:
    url = secured.url(host="127.0.0.1", cafile="authority.pem", certfile="client.pem", keyfile="client.key")
    said = await complaint(url)
    assert "not valid for '127.0.0.1'" in said


async def test_the_name_is_not_looked_at_if_nothing_is_verified(secured: Secured) -> None:
    url = secured.url(host="127.0.0.1", certfile="client.pem", keyfile="client.key", verify="none")
    async with Goatherd("shop", broker_url=url):
        pass


async def test_a_client_without_a_certificate_is_told_so(secured: Secured) -> None:
    said = await complaint(secured.url(cafile="authority.pem"))
    assert "certfile" in said


async def test_a_client_of_another_authority_is_told_so(secured: Secured) -> None:
    said = await complaint(secured.url(cafile="authority.pem", certfile="impostor.pem", keyfile="impostor.key"))
    assert "certfile" in said


async def test_files_that_are_not_there_are_named(secured: Secured) -> None:
    with pytest.raises(SettingsError, match=r"missing\.pem"):
        async with Goatherd("shop", broker_url=secured.url(cafile="missing.pem")):
            pass


async def test_a_key_that_belongs_to_another_certificate_is_refused_here(secured: Secured) -> None:
    url = secured.url(cafile="authority.pem", certfile="client.pem", keyfile="server.key")
    with pytest.raises(SettingsError, match=r"server\.key.* cannot be used"):
        async with Goatherd("shop", broker_url=url):
            pass


async def test_a_plain_url_for_a_secure_port_is_told_so(secured: Secured) -> None:
    said = await complaint(secured.url(scheme="amqp"))
    assert "amqps://" in said


async def test_a_secure_url_for_a_plain_port_is_told_so(secured: Secured) -> None:
    said = await complaint(secured.url(port=secured.plain_port, cafile="authority.pem"))
    assert "amqp://" in said
