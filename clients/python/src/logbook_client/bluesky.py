"""A callback for the RunEngine of bluesky, which records each run in an entry that grows."""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Mapping, Optional, Type

from .client import Client
from .deliveries import RunRest
from .errors import OutcomeUnknown, Refused, SignInFailed, Unreachable
from .fields import NewEntry, to_ms
from .files import to_files
from .operations import RunEnd, new_key
from .runs import Run

_log = logging.getLogger("logbook_client")
#: Seconds between two blocks. It grows with the run, so that the longest one has some hundred blocks.
_BLOCK_SECONDS = 1.0
_BLOCK_SHARE = 0.01
_RETRY_SECONDS = 10.0
_MAX_WAIT_SECONDS = 3_600.0
#: Maximum length of all listed points together: the size of an entry is limited.
_LISTED_CHARACTERS = 100_000

Document = Mapping[str, Any]


class RunTemplate:
    """What a run looks like. Override what should be different; all texts have CommonMark."""

    #: Maximum number of points that are listed, unless they are too long together. Further ones are counted.
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
    spool of the client appends the rest and closes the run. `close()` waits until all is sent or in the spool.
    """

    def __init__(self, logbook: Client, logbooks: str, template: Optional[RunTemplate] = None) -> None:
        self._logbook = logbook
        self._logbooks = logbooks
        self._template = template or RunTemplate()
        self._changed = threading.Condition()
        self._scans: dict[str, _Scan] = {}
        self._streams: dict[str, tuple[str, str, list[str]]] = {}
        self._thread: Optional[threading.Thread] = None

    def __call__(self, name: str, document: Document) -> None:
        try:
            self._take(name, document)
        except Exception:
            # A scan never fails because of the logbook.
            _log.exception("a document of kind %s is not recorded", name)

    def _take(self, name: str, document: Document) -> None:
        with self._changed:
            if name == "start":
                self._scans[document["uid"]] = _Scan(self._template, document)
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

    def __enter__(self) -> LogbookCallback:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

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

    def _next(self) -> Optional[_Scan]:
        now = time.monotonic()
        return next((one for one in self._scans.values() if one.due_at() <= now), None)


def _status(stop: Document) -> RunEnd:
    return "done" if stop["exit_status"] == "success" else "failed"


class _Scan:
    """A run of the RunEngine, and how far it has been sent."""

    def __init__(self, template: RunTemplate, start: Document) -> None:
        self.template = template
        self.start = start
        self.stop: Optional[Document] = None
        self.is_done = False
        self._run: Optional[Run] = None
        #: Title, text and fields with which the run is opened, and when; the same at each attempt.
        self._opening: Optional[tuple[str, str, NewEntry]] = None
        self._opened_ms = 0
        self._key = new_key()
        self._may_be_open = False
        self._is_end_appended = False
        self._is_refused = False
        self._begun_at = self._sent_at = time.monotonic()
        self._retry_at = 0.0
        self._points = 0
        self._listed_characters = 0
        #: Rows that are not sent, by stream and columns, and the text of the block that is being sent.
        self._rows: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        self._block = ""

    def add_point(self, stream: str, columns: list[str], values: list[Any]) -> None:
        self._points += 1
        if self._points <= self.template.max_points and self._listed_characters < _LISTED_CHARACTERS:
            row = f"| {' | '.join(self.template.cell(value) for value in values)} |"
            self._listed_characters += len(row)
            self._rows.setdefault((stream, tuple(columns)), []).append(row)

    def due_at(self) -> float:
        """Time of the monotonic clock at which something is due to be sent."""
        if self.stop is not None:
            return 0.0
        if self._is_refused:
            return float("inf")
        if self._run is None or self._block:
            return self._retry_at
        if not self._rows:
            return float("inf")
        return self._sent_at + max(_BLOCK_SECONDS, _BLOCK_SHARE * (self._sent_at - self._begun_at))

    def prepare_block(self) -> None:
        """Makes the rows one block. A block that was not sent stays the same: it may have arrived."""
        if self._block or self._run is None:
            return
        self._block, self._rows = self._tables(), {}

    def send(self, logbook: Client, logbooks: str) -> None:
        """Opens the run, sends its block, or closes it."""
        try:
            if self._run is None and not self._is_refused:
                title, text, fields = self._open_with(logbooks)
                # Nothing is appended before this process knows that the run is open.
                opened = logbook._run(logbook._operations.open_run(title, text, fields, self._key))
                self._run = Run(logbook._operations, logbook._run, opened)
            if self._run is not None and self._block:
                self._run.append(self._block)
                self._block, self._sent_at = "", time.monotonic()
            if self._run is not None and self.stop is not None and not self._rows:
                if not self._is_end_appended:
                    self._run.append(self.template.end(self.start, self.stop, self._points))
                    self._is_end_appended = True
                self._run.close(_status(self.stop))
                self.is_done = True
        except Exception as error:
            _log.warning("the run %s is not recorded completely: %s", self.start["uid"], error)
            self._may_be_open = self._may_be_open or self._run is not None or isinstance(error, OutcomeUnknown)
            self._is_refused = not isinstance(error, Unreachable)
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            if self.stop is not None:
                self._leave_to_spool(logbook, logbooks, error)
        else:
            if self._is_refused and self._run is None and self.stop is not None:
                self._leave_to_spool(logbook, logbooks, None)

    def _open_with(self, logbooks: str) -> tuple[str, str, NewEntry]:
        if self._opening is None:
            fields = self.template.fields(self.start)
            fields["logbooks"] = logbooks
            if "files" in fields:
                # They get their ids here.
                fields["files"] = to_files(fields["files"])
            self._opening = (self.template.title(self.start), self.template.text(self.start), fields)
            self._opened_ms = to_ms(datetime.now(timezone.utc))
        return self._opening

    def _leave_to_spool(self, logbook: Client, logbooks: str, problem: Optional[Exception]) -> None:
        """Stores what was not sent: the rest of the run, or an entry if it was not opened.

        Blocks that were refused become a reply, and the run is closed without them.
        """
        self.is_done = True
        assert self.stop is not None
        try:
            title, begin, fields = self._open_with(logbooks)
            end = "" if self._is_end_appended else self.template.end(self.start, self.stop, self._points)
            blocks = [part for part in (self._block, self._tables(), end) if part]
            is_refused = isinstance(problem, Refused) and not isinstance(problem, SignInFailed)
            if not self._may_be_open:
                logbook.spool.add(title, "\n\n".join(part for part in (begin, *blocks) if part), fields)
            elif self._run is not None and is_refused and blocks:
                reply: NewEntry = {**fields, "reply_to": self._run.entry}
                logbook.spool.add(title, "\n\n".join(blocks), reply)
                blocks = []
            if self._may_be_open and not (is_refused and getattr(problem, "code", None) == "run.closed"):
                logbook.spool.add_rest(title, begin, fields, self._rest(blocks))
            logbook.send_spool()
        except Exception as error:
            _log.error("the run %s is lost: %s", self.start["uid"], error)

    def _rest(self, blocks: list[str]) -> RunRest:
        assert self.stop is not None
        run = self._run
        sent, entry_id = (0, None) if run is None else (run.block_count, run.entry.id)
        return RunRest(self._key, self._opened_ms, entry_id, blocks, sent, _status(self.stop))

    def _tables(self) -> str:
        tables = []
        for (stream, columns), rows in self._rows.items():
            title = "" if stream == "primary" else f"{stream}\n\n"
            cells = ["Point", *(self.template.cell(name) for name in columns)]
            head = f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}"
            tables.append("\n".join([f"{title}{head}", *rows]))
        return "\n\n".join(tables)
