"""Entries that wait on the local disk until the service has them.

`waiting/` has a directory for each entry, in the order of their names; `sent/` and `refused/` have those of the past.
A directory is complete before it gets its name, and moves as a whole, so that `kill -9` at any moment leaves each entry
in exactly one place. An attempt is recorded before it is made: the next process repeats it with the same key, or looks
for the entry where a service does not know keys.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import threading
import time
import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable, Optional

from .calls import Call, Retries, Steps
from .durable import FileLock, sync_directory, write_durably, write_synced
from .entry import Entry, read_entry
from .errors import LogbookError, Refused, SignInFailed
from .fields import NewEntry, to_creation, to_ms
from .files import File
from .operations import Operations, new_key
from .searching import Pages
from .settings import Settings

log = logging.getLogger("logbook_client.spool")

#: The service keeps keys for seven days.
_KEY_LIFETIME = timedelta(days=6)
#: An entry that is sent later than this gets an event with the time at which it was written.
_DELAY = timedelta(minutes=1)
#: Clocks may differ by this much when an entry is looked for.
_CLOCK_TOLERANCE = timedelta(minutes=15)
#: Time that a service without keys may need for a request whose client is gone, before the entry is looked for.
SETTLE_SECONDS = 3.0
#: Number of attempts after which an entry that makes the service fail no longer holds up the others.
_MAX_FAILURES = 20
_KEPT_RECEIPTS = 1_000


@dataclass(frozen=True)
class SpooledEntry:
    """An entry in the spool."""

    name: str
    directory: Path

    @property
    def state(self) -> str:
        """`waiting`, `sent`, `refused`, or `gone` when its receipt is no longer kept."""
        # An entry moves in this order: one that moves in this moment is found.
        for state in ("waiting", "sent", "refused"):
            if (self.directory / state / self.name).is_dir():
                return state
        return "gone"

    @property
    def entry_id(self) -> Optional[int]:
        """Id of the entry, once it was sent."""
        receipt = _read_json(self.directory / "sent" / self.name / "answer.json")
        return None if receipt is None else int(receipt["id"])

    @property
    def title(self) -> str:
        saved = _read_json(self.directory / self.state / self.name / "entry.json") or {}
        return str(saved.get("body", {}).get("title", ""))

    @property
    def refusal(self) -> Optional[str]:
        """Why the service refused it."""
        saved = _read_json(self.directory / "refused" / self.name / "refusal.json")
        return None if saved is None else str(saved["message"])


@dataclass
class SpoolReport:
    """Result of sending."""

    sent: dict[str, Entry] = field(default_factory=dict)
    refused: list[SpooledEntry] = field(default_factory=list)
    #: Number of entries that still wait.
    waiting: int = 0
    #: Why they wait; None if another process is sending.
    problem: Optional[LogbookError] = None


class Spool:
    """The spool of one user for one service."""

    def __init__(self, settings: Settings, run: Callable[[Steps[Any]], Any]) -> None:
        self.directory = settings.spool_directory
        self._settings = settings
        # One attempt for each call: between two attempts, the entries wait on the disk.
        self._operations = Operations(replace(settings, retries=Retries(0)))
        self._run = run
        for name in ("incoming", "waiting", "sent", "refused"):
            (self.directory / name).mkdir(mode=0o700, parents=True, exist_ok=True)

    def add(self, title: str, text: str, fields: NewEntry) -> SpooledEntry:
        """Stores an entry. When it returns, a crash or a power failure does not lose it."""
        body, query, files = to_creation(title, text, fields)
        incoming = self.directory / "incoming" / uuid.uuid4().hex
        incoming.mkdir(mode=0o700)
        for number, file in enumerate(files):
            _copy_synced(file, incoming / str(number))
        saved = {
            "format": 1,
            "url": self._settings.url,
            "key": new_key(),
            "writtenMs": to_ms(datetime.now(timezone.utc)),
            "query": query,
            "body": body,
            "files": [{"filename": file.filename, "id": file.id} for file in files],
        }
        write_synced(incoming / "entry.json", json.dumps(saved, ensure_ascii=False).encode())
        sync_directory(incoming)
        return self._enqueue(incoming)

    def send(self, wait_seconds: float = 0.0) -> SpoolReport:
        """Sends what waits, in order. An entry that the service refuses is set aside, and the next one is sent.

        `wait_seconds` is how long to wait for another process that is sending.
        """
        report = SpoolReport()
        lock = FileLock(self.directory / "send.lock")
        if not lock.acquire(timeout=wait_seconds):
            report.waiting = len(self.list("waiting"))
            return report
        try:
            while items := self.list("waiting"):
                for item in items:
                    self._send(item, report)
            self._tidy()
        except LogbookError as error:
            report.problem = error
        finally:
            lock.release()
        report.waiting = len(self.list("waiting"))
        return report

    def list(self, state: str = "waiting") -> list[SpooledEntry]:
        """Entries that are `waiting`, `sent` or `refused`, oldest first."""
        names = sorted(name for name in os.listdir(self.directory / state) if not name.startswith("."))
        return [SpooledEntry(name, self.directory) for name in names]

    def retry(self, item: SpooledEntry) -> SpooledEntry:
        """Puts a refused entry at the end of those that wait."""
        refused = self.directory / "refused" / item.name
        (refused / "refusal.json").unlink(missing_ok=True)
        return self._enqueue(refused)

    def discard(self, item: SpooledEntry) -> None:
        """Deletes a refused entry for good."""
        self._remove(self.directory / "refused" / item.name)

    def _enqueue(self, directory: Path) -> SpooledEntry:
        with FileLock(self.directory / "order.lock"):
            numbers = [int(item.name.partition("-")[0]) for item in self.list("waiting")]
            name = f"{max(numbers, default=0) + 1:012d}-{uuid.uuid4().hex}"
            return self._move(directory, SpooledEntry(name, self.directory), "waiting")

    def _move(self, directory: Path, item: SpooledEntry, state: str) -> SpooledEntry:
        os.rename(directory, self.directory / state / item.name)
        sync_directory(self.directory / state)
        sync_directory(directory.parent)
        return item

    def _send(self, item: SpooledEntry, report: SpoolReport) -> None:
        directory = self.directory / "waiting" / item.name
        saved = _read_json(directory / "entry.json")
        if saved is None:
            self._set_aside(item, Refused("Its files in the spool are damaged.", 0), report)
            return
        try:
            entry = self._deliver(directory, saved)
        except Refused as error:
            if not self._is_final(directory, error):
                raise
            self._set_aside(item, error, report)
            return
        report.sent[item.name] = entry
        self._finish(item, entry)

    def _deliver(self, directory: Path, saved: dict[str, Any]) -> Entry:
        """Sends an entry, unless an earlier attempt has done so."""
        receipt = _read_json(directory / "answer.json")
        if receipt is not None:
            return read_entry(receipt, self._settings.url)
        attempt = _read_json(directory / "attempt.json")
        if attempt is None:
            attempt = self._begin(directory, saved)
        elif not self._keeps_key(attempt):
            found = self._find(saved, attempt)
            if found is not None:
                return found
        body = {**saved["body"], **({"events": attempt["events"]} if attempt["events"] else {})}
        files = [
            File(one["filename"], directory / str(number), id=one["id"]) for number, one in enumerate(saved["files"])
        ]
        path = "/logs/multipart" if files else "/logs"
        query = [(name, value) for name, value in saved["query"]]
        call = Call("PUT", path, query, body, files or None, key=saved["key"])
        answer = self._run(self._operations.perform(call))
        return read_entry(answer.json(), self._settings.url)

    def _begin(self, directory: Path, saved: dict[str, Any]) -> dict[str, Any]:
        """Records an attempt before it is made."""
        now = datetime.now(timezone.utc)
        events = list(saved["body"].get("events", []))
        if to_ms(now) - saved["writtenMs"] > _DELAY.total_seconds() * 1_000:
            events.append({"name": "written", "instant": saved["writtenMs"]})
        last = _read_json(self.directory / "last-sent.json") or {}
        attempt = {"beganMs": to_ms(now), "events": events, "after": last.get("id", -1), "failures": 0}
        write_durably(directory / "attempt.json", json.dumps(attempt).encode())
        return attempt

    def _keeps_key(self, attempt: dict[str, Any]) -> bool:
        """Whether the service recognizes the attempt by its key."""
        age = datetime.now(timezone.utc) - datetime.fromtimestamp(attempt["beganMs"] / 1_000, timezone.utc)
        if age > _KEY_LIFETIME:
            return False
        return bool(self._run(self._operations.capabilities()).repeats_writes)

    def _find(self, saved: dict[str, Any], attempt: dict[str, Any]) -> Optional[Entry]:
        """The entry of an earlier attempt: equal, and newer than the last one that was sent before it."""
        began = datetime.fromtimestamp(attempt["beganMs"] / 1_000, timezone.utc)
        age = (datetime.now(timezone.utc) - began).total_seconds()
        time.sleep(min(SETTLE_SECONDS, max(0.0, SETTLE_SECONDS - age)))
        pages = Pages({"start": began - _CLOCK_TOLERANCE}, "up", 500, self._settings.url)
        body = saved["body"]
        wanted = (body["title"], body["source"], sorted(one["name"] for one in body["logbooks"]))
        while (call := pages.next_call()) is not None:
            for entry in pages.take(self._run(self._operations.perform(call))):
                is_own = self._settings.user in (None, entry.owner)
                is_equal = (entry.title, entry.source, sorted(entry.logbook_names)) == wanted
                if is_own and is_equal and entry.id > attempt["after"]:
                    return entry
        return None

    def _is_final(self, directory: Path, error: Refused) -> bool:
        """Whether a refusal concerns this entry, and not the credentials or the state of the service."""
        if isinstance(error, SignInFailed):
            return False
        # An address without a service, such as that of a proxy during maintenance, has no code.
        if error.status in (404, 405) and error.code is None:
            return False
        if 400 <= error.status < 500:
            return True
        attempt = _read_json(directory / "attempt.json") or {}
        attempt["failures"] = attempt.get("failures", 0) + 1
        write_durably(directory / "attempt.json", json.dumps(attempt).encode())
        return bool(attempt["failures"] >= _MAX_FAILURES)

    def _finish(self, item: SpooledEntry, entry: Entry) -> None:
        directory = self.directory / "waiting" / item.name
        write_durably(directory / "answer.json", entry.model_dump_json().encode())
        write_durably(self.directory / "last-sent.json", json.dumps({"id": entry.id}).encode())
        self._move(directory, item, "sent")
        for file in (self.directory / "sent" / item.name).iterdir():
            if file.name.isdigit():
                file.unlink()

    def _set_aside(self, item: SpooledEntry, error: Refused, report: SpoolReport) -> None:
        directory = self.directory / "waiting" / item.name
        refusal = {"status": error.status, "code": error.code, "message": str(error)}
        write_durably(directory / "refusal.json", json.dumps(refusal, ensure_ascii=False).encode())
        report.refused.append(self._move(directory, item, "refused"))
        log.error("entry %s was refused and set aside: %s", self.directory / "refused" / item.name, error)

    def _tidy(self) -> None:
        """Removes old receipts, and what processes that were killed did not complete."""
        for item in self.list("sent")[:-_KEPT_RECEIPTS]:
            self._remove(self.directory / "sent" / item.name)
        yesterday = time.time() - 86_400
        for directory in (self.directory / "incoming").iterdir():
            if directory.stat().st_mtime < yesterday:
                shutil.rmtree(directory, ignore_errors=True)

    def _remove(self, directory: Path) -> None:
        """Removes a directory in two steps, so that no half of one is ever listed."""
        trash = self.directory / "incoming" / f"removed-{uuid.uuid4().hex}"
        os.rename(directory, trash)
        shutil.rmtree(trash, ignore_errors=True)


class SpoolSender:
    """Sends in the background while the process runs, with growing pauses while the service is unreachable."""

    _LINGER_SECONDS = 5.0

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._lock = threading.Lock()

    def wake(self) -> None:
        with self._lock:
            self._wanted.set()
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="logbook-spool", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Ends the thread once nothing waits, or at the latest after a few seconds."""
        self._stopping.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(self._LINGER_SECONDS)

    def _work(self) -> None:
        pauses = Retries(max_seconds=60.0).pauses_forever()
        while True:
            self._wanted.wait()
            self._wanted.clear()
            try:
                report = self._spool.send(wait_seconds=1.0)
            except Exception:
                # The entries are on the disk; the next process sends them. A connection may be closed at the end.
                if not self._stopping.is_set():
                    log.exception("the spool in %s could not be sent", self._spool.directory)
                return
            if self._stopping.is_set():
                return
            if report.problem is None and report.waiting == 0:
                pauses = Retries(max_seconds=60.0).pauses_forever()
                continue
            if report.problem is not None:
                log.warning("%d entries wait in %s: %s", report.waiting, self._spool.directory, report.problem)
            self._wanted.set()
            self._stopping.wait(next(pauses))


def _copy_synced(file: File, target: Path) -> None:
    with file.open() as source, open(target, "wb") as output:
        shutil.copyfileobj(source, output, 1 << 20)
        output.flush()
        os.fsync(output.fileno())


def _read_json(file: Path) -> Optional[dict[str, Any]]:
    """The content of a file; None if it does not exist or is damaged."""
    try:
        content = json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None
