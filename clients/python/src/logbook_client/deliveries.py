"""Sends entries of the spool, each of them once.

An attempt is recorded before it is made: the next process repeats it with the same key, or looks for the entry if the
service does not know keys.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Callable, Optional

from ._httpx import httpx
from .calls import Call, Retries, Steps, interpret
from .durable import read_json, reserve, write_durably, write_reserved
from .entry import Entry, read_entry
from .errors import LogbookError, OutcomeUnknown, Refused, SignInFailed, Unreachable
from .fields import to_ms
from .files import File
from .matching import is_stored_as
from .operations import Operations
from .runs import to_block
from .searching import Pages
from .settings import Settings

#: Maximum age of a key that is used again. The service keeps keys for seven days.
_KEY_LIFETIME_MS = 6 * 86_400_000
#: An entry that is sent later than this gets an event with the time at which it was written.
_DELAY = timedelta(minutes=1)
#: Tolerance when an entry is looked for by its time: the clock of the service may have been corrected.
_CLOCK_TOLERANCE = timedelta(minutes=15)
#: Shift between the two clocks of this computer, wall and monotonic, after which the service is asked for its time.
_CLOCK_JUMP_MS = 5_000
#: Seconds after which an entry is looked for: a service without keys may still be working on the earlier request.
SETTLE_SECONDS = 10.0
#: Number of failed attempts of an entry, while the service answers other requests, after which later ones are tried.
_MAX_FAILURES = 20
#: Status of a refusal that does not come from the service: the files of the entry are damaged.
_DAMAGED = 0
_RESERVED_BYTES = 4_096
#: Status of a refusal that concerns the entry even if it comes from a proxy.
_TOO_LARGE = 413


class Deliveries:
    """The way from one spool to its service."""

    def __init__(self, spool: Path, settings: Settings, run: Callable[[Steps[Any]], Any]) -> None:
        self._last_sent = spool / "last-sent.json"
        self._receipts = spool / "sent"
        self._settings = settings
        # One attempt for each call: between two attempts, the entries wait on the disk.
        self._operations = Operations(replace(settings, retries=Retries(0)))
        self._run = run
        #: Time of the service and time of this computer, each minus the monotonic time, when the service was asked.
        self._clock: Optional[tuple[int, int]] = None
        #: Number of failures by the name of the directory, because a full disk does not record it.
        self._failures: dict[str, int] = {}

    def set_deadline(self, deadline: Optional[float]) -> None:
        """Sets the time of the monotonic clock until which the service may be silent."""
        self._operations.deadline = deadline

    def deliver(self, directory: Path) -> Entry:
        """Sends the entry in a directory, unless an earlier attempt has done so."""
        receipt = read_json(directory / "answer.json")
        if receipt is not None:
            return read_entry(receipt, self._settings.url)
        saved = read_json(directory / "entry.json")
        if saved is None:
            raise Refused("The entry's files in the spool are damaged.", _DAMAGED)
        return self._end_run(directory, saved) if "run" in saved else self._create(directory, saved)

    def _end_run(self, directory: Path, saved: dict[str, Any]) -> Entry:
        """Appends the last blocks of a run and closes it. The service does each step once."""
        run = saved["run"]
        if run["id"] is None:
            run["id"] = self._create(directory, saved).id
            # If this fails, the next attempt opens the run again with its key.
            with suppress(OSError):
                content = json.dumps(saved, ensure_ascii=False).encode("utf-8", "replace")
                write_durably(directory / "entry.json", content)
        number = run["sent"]
        for number, text in enumerate(run["blocks"], run["sent"] + 1):
            self._run(self._operations.append_block(run["id"], number, to_block(text), []))
        closed: Entry = self._run(self._operations.close_run(run["id"], run["status"], number))
        return closed

    def _create(self, directory: Path, saved: dict[str, Any]) -> Entry:
        files = [
            File(one["filename"], directory / str(number), id=one["id"]) for number, one in enumerate(saved["files"])
        ]
        for number, file in enumerate(files):
            if not (directory / str(number)).is_file():
                raise Refused(f"The entry's attachment {file.filename} is missing from the spool.", _DAMAGED)
        attempt = read_json(directory / "attempt.json")
        is_first = attempt is None
        if attempt is None:
            attempt = self.begin(directory, saved, None if "run" in saved else self._service_ms())
        elif not self._keeps_key(attempt):
            # The request has the same key: a service that still knows it stores nothing twice.
            found = self._find(saved, attempt)
            if found is not None:
                return found
        body = {**saved["body"], **({"events": attempt["events"]} if attempt["events"] else {})}
        query = [(name, value) for name, value in saved["query"]]
        call = Call("PUT", "/logs/multipart" if files else "/logs", query, body, files or None, key=saved["key"])
        try:
            answer = self._run(self._operations.perform(call))
            return interpret(answer, lambda found: read_entry(found, self._settings.url))
        except SignInFailed:
            if is_first:
                # Nothing was stored: the next attempt, of any account, is again the first one.
                write_reserved(directory / "attempt.json", b"")
            raise

    def reserve_room(self, directory: Path, saved: dict[str, Any]) -> None:
        """Takes the room on the disk that sending needs, so that a spool that has filled its disk can be sent."""
        events = json.dumps(saved["body"].get("events", []))
        reserve(directory / "attempt.json", _RESERVED_BYTES + len(events))
        reserve(directory / "answer.json", _RESERVED_BYTES)

    def write_receipt(self, directory: Path, entry: Entry) -> None:
        """Records that the entry was sent. On a full disk, a long entry is recorded by its id alone."""
        receipt = directory / "answer.json"
        try:
            write_reserved(receipt, entry.model_dump_json().encode())
        except OSError:
            write_reserved(receipt, json.dumps({"id": entry.id}).encode())
        # Receipts tell equal entries apart, too, so an outdated id does no harm.
        with suppress(OSError):
            write_durably(self._last_sent, json.dumps({"id": entry.id}).encode())

    def is_final(self, directory: Path, error: Refused) -> bool:
        """Whether a refusal concerns this entry, and not the credentials or the state of the service."""
        if error.status in (_DAMAGED, _TOO_LARGE):
            return True
        return error.status < 500 and error.is_from_logbook and not _needs_access(error)

    def holds_up(self, directory: Path, error: LogbookError) -> bool:
        """Whether later entries wait for one that fails: until it has failed often while the service answered."""
        if isinstance(error, Refused) and error.status < 500 and (error.is_from_logbook or _needs_access(error)):
            return True
        is_lost = isinstance(error, OutcomeUnknown)
        if isinstance(error, Unreachable) and not is_lost and not error.is_answer:
            return True
        deadline = self._operations.deadline
        if deadline is not None and time.monotonic() >= deadline:
            # This command has not waited long enough to know.
            return True
        try:
            asking = Operations(self._operations.settings)
            asking.deadline = self._operations.deadline
            self._run(asking.capabilities())
        except LogbookError:
            return True
        attempt = read_json(directory / "attempt.json")
        if attempt is None:
            return True
        failures = max(attempt.get("failures", 0), self._failures.get(directory.name, 0)) + 1
        attempt["failures"] = self._failures[directory.name] = failures
        # An attempt is never overwritten in place, where a crash could damage it.
        with suppress(OSError):
            write_durably(directory / "attempt.json", json.dumps(attempt).encode())
        return bool(failures < _MAX_FAILURES)

    def forget_failures(self, directory: Path) -> None:
        """Resets the number of failures of an entry; keeps when the first attempt was made, and what it sent."""
        attempt = read_json(directory / "attempt.json")
        if attempt is not None:
            write_durably(directory / "attempt.json", json.dumps({**attempt, "failures": 0}).encode())

    def begin(self, directory: Path, saved: dict[str, Any], service_ms: Optional[int]) -> dict[str, Any]:
        """Records an attempt before it is made. The attempt to open a run has already been made."""
        is_run = "run" in saved
        began_ms = saved["writtenMs"] if is_run else _now_ms()
        events = list(saved["body"].get("events", []))
        if began_ms - saved["writtenMs"] > _DELAY.total_seconds() * 1_000:
            events.append({"name": "written", "instant": saved["writtenMs"]})
        last = read_json(self._last_sent) or {}
        attempt = {
            "beganMs": began_ms,
            "serviceMs": service_ms,
            "events": events,
            # Other entries may have been sent since a run was opened.
            "after": -1 if is_run else last.get("id", -1),
            "account": self._account(),
            "failures": 0,
        }
        write_reserved(directory / "attempt.json", json.dumps(attempt).encode())
        return attempt

    def _keeps_key(self, attempt: dict[str, Any]) -> bool:
        """Whether the service recognises the attempt by its key, which belongs to the account.

        A clock that was set back does not tell the age of the key.
        """
        if not 0 <= self._age_ms(attempt) <= _KEY_LIFETIME_MS or not self._is_same_account(attempt):
            return False
        return bool(self._run(self._operations.capabilities()).repeats_writes)

    def _age_ms(self, attempt: dict[str, Any]) -> int:
        """Time since an attempt, by the clock of the service if it was recorded; negative if ours was set back."""
        service_ms = None if attempt.get("serviceMs") is None else self._service_ms()
        if service_ms is None:
            return _now_ms() - int(attempt["beganMs"])
        return max(0, service_ms - int(attempt["serviceMs"]))

    def _service_ms(self) -> Optional[int]:
        """Present time of the service, by which entries are found; None if it is unknown.

        The clock of this computer may be wrong, and its monotonic clock may stop while it sleeps.
        """
        if self._clock is None or abs(_now_ms() - _monotonic_ms() - self._clock[1]) > _CLOCK_JUMP_MS:
            try:
                answer = self._run(self._operations.perform(Call("GET", "")))
            except Refused:
                # A proxy may forbid only the welcome page.
                return None
            self._clock = (_date_ms(answer) - _monotonic_ms(), _now_ms() - _monotonic_ms())
        return self._clock[0] + _monotonic_ms()

    def _account(self) -> str:
        """Identifies the account: the user, or a digest of the token, whose user is not known."""
        token = self._settings.headers.get("Authorization")
        if token is None:
            return self._settings.user or ""
        return f"token {hashlib.sha256(token.encode()).hexdigest()[:16]}"

    def _is_same_account(self, attempt: dict[str, Any]) -> bool:
        return bool(attempt.get("account", self._account()) == self._account())

    def _find(self, saved: dict[str, Any], attempt: dict[str, Any]) -> Optional[Entry]:
        """The entry that an earlier attempt stored: equal, newer than the last one sent before, and without a receipt.

        Receipts count because entries are not sent in the order of their attempts after an equal one was set aside.
        """
        age_ms = self._age_ms(attempt)
        time.sleep(min(SETTLE_SECONDS, max(0.0, SETTLE_SECONDS - age_ms / 1_000)))
        began_ms = attempt.get("serviceMs")
        if began_ms is None:
            service_ms = self._service_ms()
            ahead_ms = 0 if service_ms is None else _now_ms() - service_ms
            began_ms = attempt["beganMs"] - max(0, ahead_ms)
        # After a clock was set back, only the ids tell which entries are newer.
        is_timed = age_ms >= 0
        start = datetime.fromtimestamp(began_ms / 1_000, timezone.utc) - _CLOCK_TOLERANCE
        pages = Pages({"start": start}, "up", 500, self._settings.url)
        if not is_timed:
            pages = Pages({}, "down", 500, self._settings.url)
        body = saved["body"]
        owner = self._settings.user if self._is_same_account(attempt) else None
        received = self._received()
        found: Optional[Entry] = None
        while (call := pages.next_call()) is not None:
            for entry in pages.take(self._run(self._operations.perform(call))):
                is_new = entry.id > attempt["after"]
                if not is_timed and not is_new:
                    return found
                if is_new and entry.id not in received and is_stored_as(body, entry) and owner in (None, entry.owner):
                    if is_timed:
                        return entry
                    found = entry
        return found

    def _received(self) -> set[int]:
        """Ids of the receipts that are kept."""
        receipts = [read_json(file) for file in self._receipts.glob("*/answer.json")]
        return {receipt["id"] for receipt in receipts if receipt is not None}


def _now_ms() -> int:
    return to_ms(datetime.now(timezone.utc))


def _monotonic_ms() -> int:
    return round(time.monotonic() * 1_000)


def _date_ms(answer: httpx.Response) -> int:
    """Time at which an answer was sent; the time of this computer if the answer does not say it."""
    try:
        return to_ms(parsedate_to_datetime(answer.headers.get("date", "")))
    except (TypeError, ValueError):
        return _now_ms()


def _needs_access(error: Refused) -> bool:
    """Whether another address or other credentials are needed, perhaps for a proxy."""
    # The answer of an address without a service, such as a proxy during maintenance, has no code.
    has_no_service = error.status in (404, 405) and error.code is None
    return isinstance(error, SignInFailed) or error.status < 400 or error.status == 407 or has_no_service
