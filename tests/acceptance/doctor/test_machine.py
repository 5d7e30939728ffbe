"""The doctor looks at this machine."""

import json
import shlex
import subprocess
from pathlib import Path

from goatherd.cli.machine_checks import file_system_checks
from tests.acceptance.cli.stage import GOATHERD, PATIENCE, Stage
from tests.acceptance.doctor.patient import found, patient, the_one

MOUNTS = """\
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
40 22 0:35 / {folder} rw,relatime shared:20 - nfs4 storage:/export rw,vers=4.2
41 40 254:2 / {folder}/own\\040disk rw - xfs /dev/vdb rw
"""


def test_too_few_open_files(stage: Stage) -> None:
    command = f"ulimit -n 128 && exec {shlex.join([*GOATHERD, 'doctor', 'shop:app', '--json'])}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=stage.folder,
        env=stage.environment,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    [check] = [each for each in json.loads(done.stdout)["checks"] if each["name"] == "open files"]
    assert check["state"] == "warning"
    assert "128" in check["found"]
    assert "LimitNOFILE" in check["mend"]


async def test_more_clients_than_open_files(tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, secret="x" * 32, gateway_connections=100_000_000), "open files")
    assert "100,000,000 clients" in check.found
    assert await found(patient(tmp_path), "open files") == []


def test_sqlite_on_a_network_file_system(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS.format(folder=tmp_path))
    [check] = file_system_checks(f"{tmp_path}/jobs.db", mounts)
    assert check.state == "wrong"
    assert "network file system (nfs4)" in check.found
    assert "disk of this machine" in check.mend
    assert list(file_system_checks(f"{tmp_path}/own disk/jobs.db", mounts)) == []
    assert list(file_system_checks("/var/jobs.db", mounts)) == []
    assert list(file_system_checks(f"{tmp_path}/jobs.db", tmp_path / "no such file")) == []


async def test_a_prefetch_that_lets_a_worker_idle(tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, prefetch=4), "prefetch")
    assert (check.state, "16 never run at once" in check.found) == ("warning", True)
    much = await the_one(patient(tmp_path, prefetch=5000), "prefetch")
    assert "while other workers idle" in much.found
    assert "twice the concurrency" in much.mend
    assert await found(patient(tmp_path), "prefetch") == []
