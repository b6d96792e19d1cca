"""The callback for bluesky, with a RunEngine and simulated devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Iterator

import pytest
from conftest import USER
from cutting_proxy import CuttingProxy
from logbook_client import Client, Entry, OutcomeUnknown, Retries
from logbook_client.bluesky import LogbookCallback, RunTemplate
from logbook_client.durable import read_json
from logbook_service import LogbookService

pytest.importorskip("bluesky")
pytest.importorskip("ophyd")

from bluesky import RunEngine
from bluesky import plan_stubs as stubs
from bluesky.plans import scan
from ophyd.sim import det, motor


def newest(client: Client) -> Entry:
    return next(iter(client.search(limit=1)))


@pytest.fixture
def client(logbook_service: LogbookService) -> Iterator[Client]:
    with Client(logbook_service.url, **USER) as opened:
        yield opened


def test_a_scan_is_one_entry_which_ends_with_its_status(client: Client) -> None:
    class Template(RunTemplate):
        max_points = 2

        def title(self, start: Any) -> str:
            return f"Slit scan {start['scan_id']}"

    with LogbookCallback(client, "operations", Template()) as callback:
        engine = RunEngine({})
        engine.subscribe(callback)
        (uid,) = engine(scan([det], motor, -1, 1, 3))
    entry = newest(client)
    assert entry.title == "Slit scan 1" and "detectors: det" in entry.text
    assert "| Point | det | motor | motor_setpoint |" in entry.text
    assert "| 1 | 0.606531 | -1 | -1 |" in entry.text and "| 2 | 1 | 0 | 0 |" in entry.text
    # Points beyond the limit are counted.
    assert "| 3 |" not in entry.text and "3 points in" in entry.text
    assert entry.run is not None and entry.run.status == "done"
    assert [found.id for found in client.search(properties=f"bluesky.uid.{uid}")] == [entry.id]


def test_points_are_there_while_the_scan_continues_and_a_scan_that_fails_is_marked(client: Client) -> None:
    def plan() -> Iterator[Any]:
        yield from stubs.open_run({"plan_name": "slow"})
        yield from stubs.trigger_and_read([det, motor])
        deadline = time.monotonic() + 120
        found: list[Entry] = []
        while not any("| 1 | " in one.text for one in found) and time.monotonic() < deadline:
            time.sleep(0.05)
            found = [one for one in client.search(limit=1) if one.title == "Scan 1: slow"]
        (entry,) = found
        assert "| 1 | " in entry.text and entry.run is not None and entry.run.status == "running"
        yield from stubs.trigger_and_read([det, motor])
        raise RuntimeError("the shutter is closed")

    with LogbookCallback(client, "operations") as callback:
        engine = RunEngine({})
        engine.subscribe(callback)
        with pytest.raises(RuntimeError, match="shutter"):
            engine(plan())
    entry = newest(client)
    assert entry.run is not None and entry.run.status == "failed"
    assert "| 2 | " in entry.text and "fail: the shutter is closed" in entry.text


class Named(RunTemplate):
    def __init__(self, name: str) -> None:
        self.name = name

    def title(self, start: Any) -> str:
        return self.name


def record(callback: LogbookCallback, points: int) -> None:
    """The documents of a scan, up to its last point."""
    callback("start", {"uid": "run", "time": 0.0, "scan_id": 1})
    callback("descriptor", {"uid": "stream", "run_start": "run", "name": "primary", "data_keys": {"det": {}}})
    for number in range(1, points + 1):
        callback("event", {"descriptor": "stream", "seq_num": number, "data": {"det": 0.5}})


STOP = {"run_start": "run", "time": 1.0, "exit_status": "success"}


def runs(service: LogbookService, title: str) -> list[tuple[str, str, int]]:
    """Title, status and number of last blocks of each entry."""
    with Client(service.url, **USER) as client:
        found = [one for one in client.search() if title in one.title]
        return [(one.title, one.run.status if one.run else "", one.text.count("points in")) for one in found]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logbook_client.background.SpoolSender._LINGER_SECONDS", 120.0)


def test_a_run_whose_opening_was_not_acknowledged_is_opened_once(
    logbook_service: LogbookService, proxy: CuttingProxy, patient: None
) -> None:
    with Client(proxy.url, **USER, retries=Retries(0)) as client:
        client.capabilities()
        proxy.lost_answers = 1
        with LogbookCallback(client, "operations", Named("lost opening")) as callback:
            record(callback, 2)
            while runs(logbook_service, "lost opening") == [] or proxy.lost_answers:
                time.sleep(0.05)
            callback("stop", STOP)
    assert runs(logbook_service, "lost opening") == [("lost opening", "done", 1)]


@pytest.mark.parametrize("method", ["append", "close"])
def test_a_run_whose_end_fails_is_closed_from_the_spool(
    logbook_service: LogbookService, monkeypatch: pytest.MonkeyPatch, patient: None, method: str
) -> None:
    def fail(*_: object) -> None:
        raise OutcomeUnknown("The answer was lost.")

    title = f"the {method} fails"
    with Client(logbook_service.url, **USER) as client:
        monkeypatch.setattr(f"logbook_client.runs.Run.{method}", fail)
        with LogbookCallback(client, "operations", Named(title)) as callback:
            record(callback, 2)
            callback("stop", STOP)
    assert runs(logbook_service, title) == [(title, "done", 1)]


def test_a_run_is_closed_by_a_later_process_after_an_outage(tmp_path: Path) -> None:
    service = LogbookService()
    try:
        with Client(service.url, **USER, retries=Retries(0), spool_directory=tmp_path) as client:
            with LogbookCallback(client, "operations", Named("outage")) as callback:
                record(callback, 2)
                while runs(service, "outage") == []:
                    time.sleep(0.05)
                service.kill()
                callback("stop", STOP)
        service.start()
        with Client(service.url, **USER, spool_directory=tmp_path) as later:
            assert later.spool.send().waiting == 0
        assert runs(service, "outage") == [("outage", "done", 1)]
    finally:
        service.close()


SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from logbook_client import Client
from logbook_client.bluesky import LogbookCallback
from test_bluesky import Named, STOP, record
callback = LogbookCallback(Client(), "operations", Named({title!r}))
record(callback, 2)
callback("stop", STOP)
"""


def end_script(url: str, title: str, spool: Path) -> None:
    """Runs a script that records a run and ends, without closing anything."""
    settings = {"URL": url, "USER": USER["user"], "PASSWORD": USER["password"], "SPOOL": str(spool)}
    environment = {**os.environ, **{f"LOGBOOK_{name}": value for name, value in settings.items()}}
    script = SCRIPT.format(tests=str(Path(__file__).parent), title=title)
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=120)


def test_a_script_that_ends_without_closing_the_callback_sends_its_run(
    logbook_service: LogbookService, tmp_path: Path
) -> None:
    end_script(logbook_service.url, "unclosed", tmp_path)
    assert runs(logbook_service, "unclosed") == [("unclosed", "done", 1)]


def test_a_script_that_ends_while_the_service_hangs_leaves_its_run_to_the_spool(
    proxy: CuttingProxy, tmp_path: Path
) -> None:
    proxy.withholds_answers = True
    end_script(proxy.url, "hanging", tmp_path)
    (spool,) = tmp_path.iterdir()
    (waiting,) = (spool / "waiting").iterdir()
    saved = json.loads((waiting / "entry.json").read_text())
    assert "| 2 | 0.5 |" in str(saved) and "points in" in str(saved)


@pytest.mark.parametrize("request_line", ["PUT /logs", "/blocks/1", "/blocks/2", "/close"])
def test_a_run_whose_request_is_under_way_at_the_end_of_the_process_is_recorded_once(
    logbook_service: LogbookService,
    proxy: CuttingProxy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    patient: None,
    request_line: str,
) -> None:
    monkeypatch.setattr("logbook_client.bluesky._LINGER_SECONDS", 1.0)
    title = f"under way: {request_line}"
    with Client(proxy.url, **USER, retries=Retries(0), spool_directory=tmp_path) as client:
        take, under_way = client._take, threading.Event()

        def withhold(step: Any) -> Any:
            if f"{getattr(step, 'method', '')} {getattr(step, 'path', '')}".endswith(request_line):
                proxy.withholds_answers = not under_way.is_set()
                under_way.set()
            return take(step)

        monkeypatch.setattr(client, "_take", withhold)
        callback = LogbookCallback(client, "operations", Named(title))
        record(callback, 2)
        callback("stop", STOP)
        assert under_way.wait(60)
        callback._finish()
        assert len(list((tmp_path / "waiting").iterdir())) == 1
        # The process does not end here, so both the thread and the spool send the run.
        proxy.withholds_answers = False
        proxy.cut()
        assert callback.close(60)
        assert client.spool.send(wait_seconds=60).waiting == 0
    assert runs(logbook_service, title) == [(title, "done", 1)]


def test_a_run_is_stored_although_no_thread_can_be_started_any_longer(
    logbook_service: LogbookService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    with Client(logbook_service.url, **USER, spool_directory=tmp_path) as client:
        monkeypatch.setattr("logbook_client.background.threading.Thread.start", fail)
        spooled = client.post("no thread", "text", logbooks="operations", spool=True)
        monkeypatch.undo()
        assert client.spool.send().waiting == 0 and spooled.state == "sent"


def test_a_scan_does_not_wait_for_a_service_that_is_unreachable(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/logbook"
    with Client(url, retries=Retries(0), spool_directory=tmp_path, **USER) as client:
        with LogbookCallback(client, "operations") as callback:
            engine = RunEngine({})
            engine.subscribe(callback)
            engine(scan([det], motor, -1, 1, 3))
        (waiting,) = client.spool.list()
        body = read_json(tmp_path / "waiting" / waiting.name / "entry.json")["body"]
        assert body["title"] == "Scan 1: scan" and "| 3 | 0.606531 |" in str(body)
