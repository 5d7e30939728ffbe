"""The suite of the audit trail, on every store that has one."""

from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import msgspec
import pytest

from goatherd.adapters.postgres.opening import open_audit_trail as open_in_postgres
from goatherd.adapters.sqlite import opening
from goatherd.model.settings import Settings
from goatherd.ports.audit import AuditTrail
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites import AuditTrailSuite
from goatherd.wiring.control import open_audit_trail
from scripts.servers.addresses import postgres_url


class TestSqliteAuditTrail(AuditTrailSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "jobs.db"

    async def open(self, store: Path, app: str = "suite") -> AuditTrail:
        settings = Settings(app=app, broker_url=f"sqlite:///{store}", default_queue=app)
        with patch.object(opening, "FILES", opening.Files()):
            return await open_audit_trail(settings, SystemClock())


@pytest.mark.servers("postgres")
@pytest.mark.xdist_group("postgres")
class TestPostgresAuditTrail(AuditTrailSuite):
    @pytest.fixture
    def store(self) -> Settings:
        """An app of its own for each test, in a database that others use, too."""
        app = f"suite_{uuid4().hex}"
        return Settings(app=app, broker_url="sqlite:///unused.db", default_queue=app, records_url=postgres_url())

    async def open(self, store: Settings, app: str = "suite") -> AuditTrail:
        return await open_in_postgres(msgspec.structs.replace(store, app=f"{store.app}_{app}"))
