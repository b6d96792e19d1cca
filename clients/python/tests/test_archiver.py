"""Clients of the Archiver Appliance read the archiver of the tests of the service as they read the real one."""

from __future__ import annotations

import shutil
import subprocess
from datetime import datetime, timedelta, timezone
from typing import Iterator

import pytest
from logbook_service import ROOT

DEVICE = "SR:C01-BI{DCCT:1}I-I"
START = datetime(2025, 11, 25, 21, tzinfo=timezone.utc)
VALUES = [401.25, 401.1, 12.0]
SEVERITIES = [0, 2, 0]


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    file = ROOT / "dist" / "test" / "fixtures" / "archiver-process.js"
    command = [shutil.which("node") or "node", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield int(process.stdout.readline())
        process.kill()


def test_aapy_reads_values_times_and_states(port: int) -> None:
    js = pytest.importorskip("aa.js")
    fetcher = js.JsonFetcher("127.0.0.1", port)
    data = fetcher.get_values(DEVICE, START, START + timedelta(minutes=1))
    assert list(data.values.flat) == VALUES
    assert list(data.severities.flat) == SEVERITIES
    assert [at - START.timestamp() for at in data.timestamps.flat] == [-0.5, 0.5, 1.5]
    states = fetcher.get_values("SR:V1", START, START + timedelta(minutes=1))
    assert dict(states.enum_options) == {0: "Closed", 1: "Open"}


def test_pyarchappl_reads_ranges_and_moments(port: int) -> None:
    archappl = pytest.importorskip("archappl.data.client")
    client = archappl.ArchiverDataClient(f"http://127.0.0.1:{port}", format="json")
    times = {"from_time": "2025-11-25T21:00:00.000Z", "to_time": "2025-11-25T21:01:00.000Z"}
    frame = client.get_data(DEVICE, **times, tz="UTC")
    assert list(frame["val"]) == VALUES
    assert list(frame["severity"]) == SEVERITIES
    moment = client.get_data_at_time([DEVICE, "unknown"], "2025-11-25T21:00:01.000Z")
    assert {name: sample["val"] for name, sample in moment.items()} == {DEVICE: 401.1}
