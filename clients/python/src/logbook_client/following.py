"""Changes of a logbook as they happen, in order, each of them once."""

from __future__ import annotations

import json
import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Iterator, Optional, Union

from ._httpx import httpx
from .calls import BUSY, Call, Pause, Retries, Steps, checked, interpret, unexpected
from .durable import FileLock, write_durably
from .entry import Entry, read_entry
from .errors import LogbookError, Refused, UnexpectedAnswer, Unreachable
from .operations import Capabilities, Operations
from .searching import WINDOW, Filter, format_moment, read_logs, to_parameters

_log = logging.getLogger("logbook_client")
_PAGE_SIZE = 1_000
#: Longest silence of a stream; the service sends something every 15 seconds.
STREAM_TIMEOUT = 60.0


@dataclass(frozen=True)
class Change:
    """A change of an entry."""

    #: `created`, `edited`, `annotated` (not an edit: the entry joined a thread, for example, or grew by a block) or
    #: `damaged` (its record cannot be read).
    kind: str
    #: The entry as it is now; None if the change is damaged.
    entry: Optional[Entry]
    #: Position after the change, to continue from.
    position: str
    #: Number of the version that the change made; None if it is not known.
    version: Optional[int] = None


class Position:
    """The position of a reader: in memory, or in a file from which a later process continues."""

    def __init__(self, start: Optional[str], state: Optional[Union[str, os.PathLike[str]]]) -> None:
        self.value = start
        self._file = None if state is None else Path(state).absolute()
        self._lock: Optional[FileLock] = None
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self._file.with_name(self._file.name + ".lock"))
            if not self._lock.acquire(blocking=False):
                raise LogbookError(f"Another process follows with {self._file}. Give each follower a file of its own.")
            if self._file.exists():
                self.value = self._file.read_text("utf-8").strip() or start

    def set(self, value: str) -> None:
        """Moves to a position, once the changes before it are processed."""
        if value == self.value:
            return
        self.value = value
        if self._file is not None:
            write_durably(self._file, value.encode())

    def close(self) -> None:
        if self._lock is not None:
            self._lock.release()


class EventStream:
    """Reads Server-Sent Events from bytes as they arrive.

    Lines end with a line feed only: JSON may contain other characters that Python takes for line ends.
    """

    def __init__(self, conditions: Filter, position: Position, base_url: str) -> None:
        self._parameters = to_parameters(conditions)
        self._position = position
        self._base_url = base_url
        self._rest = b""
        self._id: Optional[str] = None
        self._kind = ""
        self._data: list[str] = []

    def call(self) -> Call:
        """The request that continues where the last stream ended."""
        self._rest, self._kind, self._data = b"", "", []
        call = Call("GET", "/changes", self._parameters).with_headers(Accept="text/event-stream")
        return call if self._position.value is None else call.with_headers(**{"Last-Event-ID": self._position.value})

    def is_open(self, answer: httpx.Response) -> bool:
        """Whether the answer is a stream; False if the service is unreachable, is busy or has failed."""
        if answer.status_code in BUSY or answer.is_server_error:
            return False
        if not checked(answer).headers.get("content-type", "").startswith("text/event-stream"):
            raise unexpected(answer)
        return True

    @contextmanager
    def until_lost(self) -> Iterator[None]:
        """Ends its block when the stream is lost. Logs content that cannot be decoded: the cause may be permanent."""
        try:
            yield
        except httpx.DecodingError as error:
            _log.warning("changes cannot be read at present: %s", error)
        except httpx.RequestError:
            pass

    def take(self, chunk: bytes) -> Iterator[Change]:
        """Yields the changes that a chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            try:
                change = self._take_line(line.decode().rstrip("\r"))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise UnexpectedAnswer(f"A change after the position {self._position.value} cannot be read.") from error
            if change is not None:
                yield change

    def _take_line(self, line: str) -> Optional[Change]:
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "id":
            self._id = value
        elif field == "event":
            self._kind = value
        elif field == "data":
            self._data.append(value)
        elif line == "":
            return self._complete()
        return None

    def _complete(self) -> Optional[Change]:
        data, kind = "\n".join(self._data), self._kind
        self._kind, self._data = "", []
        if self._id is None:
            return None
        if not data:
            # Everything before this position was sent, or does not match.
            self._position.set(self._id)
            return None
        body: dict[str, Any] = json.loads(data)
        entry = read_entry(body["entry"], self._base_url) if body.get("entry") else None
        return Change(kind, entry, self._id, body.get("version"))


class Delivered:
    """The entries that were delivered: all up to a time and an id, and the ids of later ones.

    An index shows an entry with a delay, sometimes after later ones. A late entry is still found if it is at most 60
    seconds and 200 entries older than the newest.
    """

    _OVERLAP_MS = 60_000
    MAX_IDS = 200

    def __init__(self, text: str) -> None:
        """Reads a position: a time and an id, then the milliseconds since that time and the id of each later entry."""
        begin, *rest = text.split(",")
        try:
            self.floor = (0, -1) if begin == "0" else _read_pair(begin)
            later = [_read_pair(pair) for pair in rest]
        except ValueError as error:
            raise ValueError(f"{text[:100]!r} is not a position of this service. Begin without one.") from error
        self._later = {number: self.floor[0] + age for age, number in later}

    def is_new(self, entry: Entry) -> bool:
        return (entry.createdDate, entry.id) > self.floor and entry.id not in self._later

    def add(self, entry: Entry) -> None:
        self._later[entry.id] = entry.createdDate
        keys = sorted((date, number) for number, date in self._later.items())
        oldest = keys[-1][0] - self._OVERLAP_MS
        count = max(len(keys) - self.MAX_IDS, sum(date < oldest for date, _ in keys))
        for _, number in keys[:count]:
            del self._later[number]
        self.floor = max(self.floor, (oldest, -1), *keys[:count])

    def __str__(self) -> str:
        date, number = self.floor
        return ",".join([f"{date}/{number}", *(f"{at - date}/{one}" for one, at in sorted(self._later.items()))])


def _read_pair(text: str) -> tuple[int, int]:
    first, _, second = text.partition("/")
    return int(first), int(second)


class NewEntries:
    """Finds new entries of a service without a stream, by searching. It does not find edits."""

    def __init__(
        self, conditions: Filter, position: Position, base_url: str, retries: Retries, poll_seconds: float
    ) -> None:
        self._conditions = conditions
        self._position = position
        self._base_url = base_url
        self._retries = retries
        self._pauses = retries.pauses_forever()
        self._poll_seconds = poll_seconds
        #: Time to wait before the next call, in seconds.
        self.pause = poll_seconds
        self._delivered = None if position.value is None else Delivered(position.value)
        #: Second in which the search begins, position and size of the page, and its entries if it is full.
        self._second = 0
        self._from = 0
        self._size = _PAGE_SIZE
        self._page: list[Entry] = []

    def call(self) -> Call:
        if self._delivered is None:
            return Call("GET", "/logs/search", [("size", str(Delivered.MAX_IDS)), ("sort", "down")])
        second = self._delivered.floor[0] // 1_000
        if second != self._second:
            self._second, self._from = second, 0
        elif self._page:
            # The next page repeats the entries after the floor, because a late one may precede them.
            floor = self._delivered.floor
            self._from += sum((entry.createdDate, entry.id) <= floor for entry in self._page)
        self._page = []
        start = format_moment(datetime.fromtimestamp(second, timezone.utc))
        self._size = min(_PAGE_SIZE, WINDOW - self._from)
        paging = [("start", start), ("tz", "UTC"), ("sort", "up")]
        paging += [("size", str(self._size)), ("from", str(self._from))]
        return Call("GET", "/logs/search", [*to_parameters(self._conditions), *paging])

    def take(self, answer: httpx.Response) -> Iterator[Change]:
        """Yields the entries of an answer that were not delivered."""
        entries = interpret(answer, lambda body: read_logs(body, self._base_url))
        self._pauses, self.pause = self._retries.pauses_forever(), self._poll_seconds
        if self._delivered is None:
            # Entries before a full page were created long ago.
            is_full = len(entries) >= Delivered.MAX_IDS
            self._delivered = Delivered(f"{entries[-1].createdDate + 1}/-1" if is_full else "0")
            for entry in reversed(entries):
                self._delivered.add(entry)
            self._position.set(str(self._delivered))
            return
        fresh = [entry for entry in entries if self._delivered.is_new(entry)]
        if len(entries) >= self._size:
            self.pause, self._page = 0.0, entries
            if not fresh and self._from + self._size >= WINDOW:
                raise LogbookError(f"More than {WINDOW} entries have the same time: this service cannot show the rest.")
        for entry in sorted(fresh, key=lambda one: (one.createdDate, one.id)):
            self._delivered.add(entry)
            yield Change("created", entry, str(self._delivered), entry.version)

    def fail(self, error: LogbookError) -> Iterator[Change]:
        """Sets a growing pause before the next call. Raises an error that is permanent."""
        self.pause = _pause_after(error, self._pauses)
        return iter(())


def wait_for_capabilities(operations: Operations) -> Steps[Capabilities]:
    """Abilities of the service, once it reports them. Raises `Unreachable` if nothing answers at the address."""
    pauses = operations.settings.retries.pauses_forever()
    while True:
        try:
            return (yield from operations.capabilities())
        except LogbookError as error:
            if isinstance(error, Unreachable) and not error.is_answer:
                raise
            yield Pause(_pause_after(error, pauses))


def _pause_after(error: LogbookError, pauses: Iterator[float]) -> float:
    """Time to wait until the next call, in seconds. Raises an error that is permanent."""
    if not isinstance(error, Unreachable) and not (isinstance(error, Refused) and error.status >= 500):
        raise error
    _log.warning("changes cannot be read at present: %s", error)
    return next(pauses)
