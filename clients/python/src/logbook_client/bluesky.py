"""A callback for the RunEngine of bluesky, which records each run in an entry that grows."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from types import TracebackType
from typing import Any, Optional, Type

from .client import Client
from .fields import NewEntry
from .runs import to_plain
from .scans import Document, Scan

_log = logging.getLogger("logbook_client")
_MAX_WAIT_SECONDS = 3_600.0
#: Seconds that a process waits at its end for the runs that have ended.
_LINGER_SECONDS = 5.0


class RunTemplate:
    """Format of the entry of a run. Override the methods whose result should differ. All texts are CommonMark."""

    #: Maximum number of points that are listed; fewer if their rows are long. All points are counted.
    max_points = 1_000

    def title(self, start: Document) -> str:
        return f"Scan {start.get('scan_id', '')}: {start.get('plan_name', '')}"

    def text(self, start: Document) -> str:
        """Text of the entry when the run begins."""
        names = [f"{kind}: {', '.join(start.get(kind) or ())}" for kind in ("detectors", "motors") if start.get(kind)]
        return "\n".join(f"- {name}" for name in names)

    def fields(self, start: Document) -> NewEntry:
        """Further fields of the entry, such as its tags."""
        return {"properties": {"bluesky": {"uid": start["uid"], "scan_id": start.get("scan_id")}}}

    def columns(self, descriptor: Document) -> list[str]:
        """Names of the values that are listed for each point of a stream: numbers and short texts."""
        keys = descriptor["data_keys"].items()
        return [name for name, key in keys if not key.get("shape") and not key.get("external")]

    def cell(self, value: Any) -> str:
        """A value in the list of points."""
        value = to_plain(value)
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        return text[:100].replace("|", "\\|").replace("\n", " ")

    def end(self, start: Document, stop: Document, points: int) -> str:
        """Text of the last block."""
        seconds = stop["time"] - start["time"]
        reason = f": {stop['reason']}" if stop.get("reason") else ""
        return f"{points} points in {seconds:.1f} s, {stop['exit_status']}{reason}"


class LogbookCallback:
    """Subscribe it to a RunEngine: `RE.subscribe(LogbookCallback(client, "operations"))`.

    A scan never waits for the logbook: a thread sends the blocks. If the service is unreachable when the run ends, the
    spool of the client appends the rest and closes the run. `close()` waits until everything is sent or spooled. A
    process that ends without it waits a few seconds, and leaves the rest to the spool.
    """

    def __init__(self, logbook: Client, logbooks: str, template: Optional[RunTemplate] = None) -> None:
        self._logbook = logbook
        self._logbooks = logbooks
        self._template = template or RunTemplate()
        self._changed = threading.Condition()
        self._scans: dict[str, Scan] = {}
        self._streams: dict[str, tuple[str, str, list[str]]] = {}
        self._thread: Optional[threading.Thread] = None
        self._process = os.getpid()
        atexit.register(self._finish)

    def __call__(self, name: str, document: Document) -> None:
        try:
            self._take(name, document)
        except Exception:
            # A scan never fails because of the logbook.
            _log.exception("could not record a document of kind %s", name)

    def _take(self, name: str, document: Document) -> None:
        with self._changed:
            if name == "start":
                self._scans[document["uid"]] = Scan(self._template, document)
            elif name == "descriptor":
                stream = (document["run_start"], document.get("name", ""), self._template.columns(document))
                self._streams[document["uid"]] = stream
            elif name in ("event", "event_page"):
                self._add_points(document)
            elif name == "stop":
                scan = self._scans.get(document["run_start"])
                if scan is not None:
                    scan.stop = document
                self._streams = {uid: one for uid, one in self._streams.items() if one[0] != document["run_start"]}
            if self._thread is None and self._scans:
                self._thread = threading.Thread(target=self._send_all, name="logbook-runs", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self, timeout: Optional[float] = None) -> bool:
        """Waits until the runs that have ended are sent; returns whether they are."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(one.stop for one in self._scans.values()), timeout)

    def _finish(self) -> None:
        """Leaves the ended runs to the spool if they are not sent in time: their thread ends with the process."""
        if self._process != os.getpid():
            # A forked child does not have the thread, and the parent records the runs.
            return
        try:
            self.close(_LINGER_SECONDS)
        finally:
            with self._changed:
                ended = [scan for scan in self._scans.values() if scan.stop is not None]
            for scan in ended:
                scan.leave_to_spool(self._logbook, self._logbooks, None)

    def __enter__(self) -> LogbookCallback:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
        atexit.unregister(self._finish)

    def _add_points(self, document: Document) -> None:
        uid, stream, columns = self._streams.get(document["descriptor"], ("", "", []))
        scan = self._scans.get(uid)
        if scan is None:
            return
        numbers, data = document["seq_num"], document["data"]
        if not isinstance(numbers, (list, tuple)):
            numbers, data = [numbers], {name: [value] for name, value in data.items()}
        for at, number in enumerate(numbers):
            scan.add_point(stream, columns, [number, *(data[name][at] if name in data else "" for name in columns)])

    def _send_all(self) -> None:
        while True:
            with self._changed:
                scan = self._next()
                while scan is None:
                    if not self._scans:
                        self._thread = None
                        return
                    now = time.monotonic()
                    due_at = min(one.due_at() for one in self._scans.values())
                    self._changed.wait(min(max(due_at - now, 0.01), _MAX_WAIT_SECONDS))
                    scan = self._next()
                scan.prepare_block()
            scan.send(self._logbook, self._logbooks)
            if scan.is_done:
                with self._changed:
                    del self._scans[scan.start["uid"]]
                    self._changed.notify_all()

    def _next(self) -> Optional[Scan]:
        now = time.monotonic()
        return next((one for one in self._scans.values() if one.due_at() <= now), None)
