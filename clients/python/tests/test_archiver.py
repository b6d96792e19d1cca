"""Clients of the Archiver Appliance read the archiver of the tests of the service as they read the real one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest
from logbook_service import ROOT

DEVICE = "SR:C01-BI{DCCT:1}I-I"
START = datetime(2025, 11, 25, 21, tzinfo=timezone.utc)
VALUES = [401.25, 401.1, 12.0]
SEVERITIES = [0, 2, 0]
START_NS = 1_764_104_400 * 10**9
TIMES_NS = [START_NS - 499_769_091, START_NS + 500_000_000, START_NS + 1_500_999_999]
NEW_YEAR_NS = 1_767_225_600 * 10**9
MODES = ["ten\r\n\x1b\x1b\x01 by", "µA"]
MODES_NS = [NEW_YEAR_NS - 10**9, NEW_YEAR_NS + 10 * 10**9]

# This client needs a newer protobuf than the others, so .ci/run installs it into an environment of its own.
RETRIEVAL_PYTHON = (
    Path(os.environ.get("LOGBOOK_TEST_CACHE") or Path.home() / ".cache" / "logbook-test")
    / "epicsarchiver-retrieval-client-1.0.1"
    / "bin"
    / "python"
)
# Always true in CI, so that a missing client fails there, unless CI says that it could not be installed.
HAS_RETRIEVAL = RETRIEVAL_PYTHON.exists() or ("CI" in os.environ and "LOGBOOK_NO_ARCHIVER_CLIENT" not in os.environ)
RETRIEVE = """
import json, sys
from datetime import datetime, timezone
from epicsarchiver import ArchiverRetrieval

port, name = sys.argv[1:]
client = ArchiverRetrieval("127.0.0.1", int(port))
start, end = (datetime(*date, tzinfo=timezone.utc) for date in ((2025, 11, 25, 21), (2026, 2, 1)))
metadata, events = client.get_events(name, start, end)
headers = {field.name: field.value for one in metadata.values() for field in one.headers}
samples = [[one.val, one.timestamp_ns, one.severity, one.field_values_dict] for one in events]
print(json.dumps({"headers": headers, "years": list(metadata), "samples": samples}))
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    file = ROOT / "dist" / "test" / "fixtures" / "archiver-process.js"
    command = [shutil.which("node") or "node", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield int(process.stdout.readline())
        process.kill()


@pytest.mark.parametrize("fetcher", ["aa.js.JsonFetcher", "aa.pb.PbFetcher"])
def test_aapy_reads_values_times_and_states(port: int, fetcher: str) -> None:
    module, name = fetcher.rsplit(".", 1)
    client = getattr(pytest.importorskip(module), name)("127.0.0.1", port)
    data = client.get_values(DEVICE, START, START + timedelta(minutes=1))
    assert list(data.values.flat) == VALUES
    assert list(data.severities.flat) == SEVERITIES
    # aapy returns times as floating-point numbers of seconds.
    assert list(data.timestamps.flat) == [ns // 10**9 + 1e-9 * (ns % 10**9) for ns in TIMES_NS]
    states = client.get_values("SR:V1", START, START + timedelta(minutes=1))
    assert dict(states.enum_options) == {0: "Closed", 1: "Open"}
    modes = client.get_values("SR:MODE", START, START + timedelta(days=60))
    assert list(modes.values.flat) == MODES
    assert list(modes.timestamps.flat) == [ns // 10**9 for ns in MODES_NS]


@pytest.mark.parametrize("format", ["json", "raw"])
def test_pyarchappl_reads_ranges_and_moments(port: int, format: str) -> None:
    archappl = pytest.importorskip("archappl.data.client")
    client = archappl.ArchiverDataClient(f"http://127.0.0.1:{port}", format=format)
    times = {"from_time": "2025-11-25T21:00:00.000Z", "to_time": "2025-11-25T21:01:00.000Z"}
    frame = client.get_data(DEVICE, **times, tz="UTC")
    assert list(frame["val"]) == VALUES
    assert list(frame["severity"]) == SEVERITIES
    # pyarchappl rounds to milliseconds.
    assert [time.value for time in frame.index] == [round(ns, -6) for ns in TIMES_NS]
    moment = client.get_data_at_time([DEVICE, "unknown"], "2025-11-25T21:00:02.000Z")
    sample = {"secs": 1_764_104_401, "nanos": 500_999_999, "val": 12, "severity": 0, "status": 0}
    assert moment == {DEVICE: sample}


def retrieve(port: int, name: str) -> Dict[str, Any]:
    command = [str(RETRIEVAL_PYTHON), "-c", RETRIEVE, str(port), name]
    answer: Dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return answer


@pytest.mark.skipif(not HAS_RETRIEVAL, reason="epicsarchiver-retrieval-client is not installed")
def test_the_retrieval_client_reads_nanoseconds_units_and_fields(port: int) -> None:
    samples: List[Any] = [[*one, {}] for one in zip(VALUES, TIMES_NS, SEVERITIES)]
    assert retrieve(port, DEVICE) == {"headers": {"EGU": "mA", "PREC": "2"}, "years": [2025], "samples": samples}
    states = retrieve(port, "SR:V1")
    assert states["headers"] == {"ENUM_0": "Closed", "ENUM_1": "Open"}
    assert states["samples"] == [[1, START_NS + 500_000_000, 0, {}]]
    modes = retrieve(port, "SR:MODE")
    assert modes["years"] == [2025, 2026]
    fields = {"DESC": "Mode\nof the machine"}
    assert modes["samples"] == [[MODES[0], MODES_NS[0], 0, {}], [MODES[1], MODES_NS[1], 3, fields]]
