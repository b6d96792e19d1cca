"""Entries that wait on the local disk until the service has them.

`waiting/` has a directory for each entry, in the order of their names; `sent/` and `refused/` have those of the past.
A directory is complete before it gets its name, and moves as a whole, so that `kill -9` at any moment leaves each entry
in exactly one place.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
import uuid
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, List, Optional

from .calls import Steps
from .deliveries import Deliveries
from .durable import FileLock, copy_synced, reserve, sync_directory, write_reserved, write_synced
from .errors import LogbookError, Refused, SpoolFailed
from .fields import NewEntry, to_creation, to_ms
from .files import File
from .operations import new_key
from .runs import RunRest
from .settings import Settings
from .spooled import SpooledEntry, SpoolReport, item_names, unsigned_entries

log = logging.getLogger("logbook_client.spool")

_KEPT_RECEIPTS = 1_000
#: Maximum number of entries in succession that fail while a later one is tried.
_MAX_FAILING = 20


class Spool:
    """The spool of one user for one service."""

    def __init__(self, settings: Settings, run: Callable[[Steps[Any]], Any]) -> None:
        self.directory = settings.spool_directory
        #: The spool of entries that were stored without credentials, which are sent with those of this user.
        self._unsigned = _unsigned_spool(settings, run)
        self._settings = settings
        self._deliveries = Deliveries(self.directory, settings, run)
        self._deadline: Optional[float] = None
        try:
            for name in ("incoming", "waiting", "sent", "refused"):
                (self.directory / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SpoolFailed(f"The spool {self.directory} cannot be made: {error}") from error

    def add(self, title: str, text: str, fields: NewEntry) -> SpooledEntry:
        """Stores an entry. Once this returns, no crash or power failure loses the entry.

        Raises `SpoolFailed` if the disk does not take the entry; nothing of it remains then.
        """
        return self._store(title, text, fields, None)

    def add_rest(self, title: str, text: str, fields: NewEntry, rest: RunRest) -> SpooledEntry:
        """Stores what was not sent of a run, with the fields of its opening."""
        return self._store(title, text, fields, rest)

    def _store(self, title: str, text: str, fields: NewEntry, rest: Optional[RunRest]) -> SpooledEntry:
        body, query, files = to_creation(title, text, fields)
        saved = {
            "format": 1,
            "url": self._settings.url,
            "key": new_key(),
            "writtenMs": to_ms(datetime.now(timezone.utc)),
            "query": query,
            "body": body,
            "files": [{"filename": file.filename, "id": file.id} for file in files],
        }
        if rest is not None:
            saved.update(rest.to_json())
            query.append(("run", "true"))
        incoming = self.directory / "incoming" / uuid.uuid4().hex
        try:
            incoming.mkdir(mode=0o700)
            for number, file in enumerate(files):
                with file.open() as source:
                    copy_synced(source, incoming / str(number))
            content = json.dumps(saved, ensure_ascii=False).encode("utf-8", "replace")
            write_synced(incoming / "entry.json", content)
            self._deliveries.reserve_room(incoming, saved)
            reserve(incoming / "refusal.json")
            if rest is not None:
                self._deliveries.begin(incoming, saved, None)
            sync_directory(incoming)
            return self._enqueue(incoming)
        except OSError as error:
            raise SpoolFailed(f"The entry cannot be stored in the spool {self.directory}: {error}") from error
        finally:
            # Once the entry has its name, there is nothing left here.
            shutil.rmtree(incoming, ignore_errors=True)

    def send(self, wait_seconds: float = 0.0, max_seconds: Optional[float] = None) -> SpoolReport:
        """Sends what waits, in order. An entry that the service refuses is set aside, and the next one is sent.

        An entry that failed 20 times while the service answered other requests is set aside once a later one is sent.
        `wait_seconds` is how long to wait for another process that is sending. After `max_seconds`, the service may not
        be silent any longer, and no further entry is sent.
        """
        report = SpoolReport()
        self._deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self._deliveries.set_deadline(self._deadline)
        lock = FileLock(self.directory / "send.lock")
        try:
            if lock.acquire(timeout=wait_seconds):
                self._send_waiting(report)
                self._tidy()
        except LogbookError as error:
            report.problem = error
        except OSError as error:
            report.problem = SpoolFailed(f"The spool {self.directory} cannot be used: {error}")
        finally:
            lock.release()
        try:
            report.waiting = len(self._items("waiting"))
        except OSError as error:
            report.problem = report.problem or SpoolFailed(f"The spool {self.directory} cannot be read: {error}")
        if self._unsigned is not None:
            left = None if self._deadline is None else self._deadline - time.monotonic()
            if report.problem is None and (left is None or left > 0):
                report.add(self._unsigned.send(wait_seconds, left))
            else:
                report.waiting += len(self._unsigned.list())
        return report

    def list(self, state: str = "waiting") -> list[SpooledEntry]:
        """Entries that are `waiting`, `sent` or `refused`: those without credentials first, each spool oldest first."""
        return [*(self._unsigned.list(state) if self._unsigned else []), *self._items(state)]

    def _items(self, state: str) -> List[SpooledEntry]:
        return [SpooledEntry(name, self.directory) for name in item_names(self.directory / state)]

    def retry(self, item: SpooledEntry) -> SpooledEntry:
        """Puts a refused entry at the end of those that wait."""
        if self._unsigned is not None and item.directory == self._unsigned.directory:
            return self._unsigned.retry(item)
        refused = self.directory / "refused" / item.name
        self._deliveries.forget_failures(refused)
        write_reserved(refused / "refusal.json", b"")
        return self._enqueue(refused)

    def discard(self, item: SpooledEntry) -> None:
        """Deletes a refused entry for good."""
        self._remove(item.directory / "refused" / item.name)

    def _take_turn(self) -> List[SpooledEntry]:
        """Entries to send, without one that is just being stored and may be taken back."""
        with FileLock(self.directory / "order.lock"):
            return self._items("waiting")

    def _enqueue(self, directory: Path) -> SpooledEntry:
        with FileLock(self.directory / "order.lock"):
            # Receipts count, too: they are kept by their numbers. Entries move through the states in this order.
            items = [item for state in ("waiting", "sent", "refused") for item in self._items(state)]
            number = max((int(item.name.partition("-")[0]) for item in items), default=0) + 1
            item = SpooledEntry(f"{number:012d}-{uuid.uuid4().hex}", self.directory)
            try:
                return self._move(directory, item, "waiting")
            except OSError as error:
                self._take_back(item, directory, error)
                return item

    def _take_back(self, item: SpooledEntry, directory: Path, error: OSError) -> None:
        """Raises the error of a move once the entry is where it was. An entry that stays in the queue is stored."""
        try:
            os.rename(self.directory / "waiting" / item.name, directory)
        except FileNotFoundError:
            # It was not moved.
            pass
        except OSError:
            log.error("entry %s is stored, but a power failure may lose it: %s", item.name, error)
            return
        raise error

    def adopt(self, tokens: Path) -> None:
        """Takes over the entries without credentials that version 1.0.0 stored in the spool of tokens."""
        lock = FileLock(tokens / "send.lock")
        try:
            # Another process may be sending them with a token.
            for directory in unsigned_entries(tokens) if lock.acquire(blocking=False) else []:
                self._enqueue(directory)
        except (OSError, SpoolFailed) as error:
            log.warning("entries of version 1.0.0 without credentials are not sent: %s", error)
        finally:
            lock.release()

    def _move(self, directory: Path, item: SpooledEntry, state: str) -> SpooledEntry:
        os.rename(directory, self.directory / state / item.name)
        sync_directory(self.directory / state)
        sync_directory(directory.parent)
        return item

    def _send_waiting(self, report: SpoolReport) -> None:
        """Sends entries until none waits that can be sent."""
        failing: dict[str, SpooledEntry] = {}
        while items := [item for item in self._take_turn() if item.name not in failing]:
            for item in items:
                if report.sent and self._deadline is not None and time.monotonic() >= self._deadline:
                    return
                try:
                    self._send(item, report)
                except LogbookError as error:
                    report.problem = report.problem or error
                    holds_up = self._deliveries.holds_up(self.directory / "waiting" / item.name, error)
                    if holds_up or len(failing) >= _MAX_FAILING:
                        return
                    failing[item.name] = item
                if failing and item.name in report.sent:
                    if not self._send_or_set_aside(list(failing.values()), report):
                        return
                    failing.clear()

    def _send_or_set_aside(self, failing: List[SpooledEntry], report: SpoolReport) -> bool:
        """Tries entries again: the service may have recovered just before it took a later one.

        Returns False if it has stopped answering, which is no reason to set them aside.
        """
        report.problem = None
        for item in failing:
            try:
                self._send(item, report)
            except LogbookError as error:
                if self._deliveries.holds_up(self.directory / "waiting" / item.name, error):
                    report.problem = error
                    return False
                self._set_aside(item, error, report)
        return True

    def _send(self, item: SpooledEntry, report: SpoolReport) -> None:
        directory = self.directory / "waiting" / item.name
        try:
            entry = self._deliveries.deliver(directory)
        except Refused as error:
            if not self._deliveries.is_final(directory, error):
                raise
            self._set_aside(item, error, report)
            return
        report.sent[item.name] = entry
        self._deliveries.write_receipt(directory, entry)
        # On a full disk, the directory to which the entry moves may need this room for the new name.
        (directory / "refusal.json").unlink(missing_ok=True)
        self._move(directory, item, "sent")
        for file in (self.directory / "sent" / item.name).iterdir():
            if file.name.isdigit():
                file.unlink()

    def _set_aside(self, item: SpooledEntry, error: LogbookError, report: SpoolReport) -> None:
        directory = self.directory / "waiting" / item.name
        refusal: dict[str, Any] = {"message": str(error)}
        if isinstance(error, Refused):
            refusal.update(status=error.status, code=error.code)
        write_reserved(directory / "refusal.json", json.dumps(refusal, ensure_ascii=False).encode("utf-8", "replace"))
        report.refused.append(self._move(directory, item, "refused"))

    def _tidy(self) -> None:
        """Removes old receipts, and what processes that were killed did not complete."""
        for item in self._items("sent")[:-_KEPT_RECEIPTS]:
            self._remove(self.directory / "sent" / item.name)
        yesterday = time.time() - 86_400
        for directory in (self.directory / "incoming").iterdir():
            try:
                is_old = directory.stat().st_mtime < yesterday
            except FileNotFoundError:
                # An entry that was stored just now.
                continue
            if is_old:
                shutil.rmtree(directory, ignore_errors=True)

    def _remove(self, directory: Path) -> None:
        """Removes a directory in two steps, so that a partial one is never listed."""
        trash = self.directory / "incoming" / f"removed-{uuid.uuid4().hex}"
        os.rename(directory, trash)
        shutil.rmtree(trash, ignore_errors=True)


def _unsigned_spool(settings: Settings, run: Callable[[Steps[Any]], Any]) -> Optional[Spool]:
    """The spool without credentials; None if there is none, or if this user cannot read it."""
    directory = settings.unsigned_spool
    if directory is None:
        return None
    tokens = directory.with_name(f"token{directory.name}")
    try:
        has_earlier = tokens != settings.spool_directory and bool(unsigned_entries(tokens))
        if not has_earlier and not (directory / "waiting").is_dir():
            return None
        spool = Spool(replace(settings, spool_directory=directory, unsigned_spool=None), run)
        if has_earlier:
            spool.adopt(tokens)
        os.listdir(directory / "waiting")
        return spool
    except (OSError, SpoolFailed) as error:
        log.warning("entries that were stored without credentials are not sent: %s", error)
        return None
