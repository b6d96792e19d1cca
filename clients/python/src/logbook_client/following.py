"""Changes of a logbook as they happen, in order, each of them once."""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Iterator, Optional, Union

from ._httpx import httpx
from .calls import BUSY, Call, Retries, checked, interpret, unexpected
from .durable import FileLock, write_durably
from .entry import Entry, read_entry
from .errors import LogbookError, Refused, UnexpectedAnswer, Unreachable
from .searching import WINDOW, Filter, format_moment, read_logs, to_parameters

_log = logging.getLogger("logbook_client")
_PAGE_SIZE = 1_000
#: Longest silence of a stream; the service sends something every 15 seconds.
STREAM_TIMEOUT = 60.0


@dataclass(frozen=True)
class Change:
    """A change of an entry."""

    #: `created`, `edited`, `annotated` (the entry joined a thread) or `damaged` (its record cannot be read).
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


class NewEntries:
    """Finds new entries of a service without a stream, by searching. It does not see edits."""

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
        #: Second in which the search begins, and the number of its entries on earlier pages.
        self._second = 0
        self._from = 0
        if position.value is not None:
            self._last()

    def call(self) -> Call:
        if self._position.value is None:
            return Call("GET", "/logs/search", [("size", "1"), ("sort", "down")])
        second = self._last()[0] // 1_000
        if second != self._second:
            self._second, self._from = second, 0
        start = format_moment(datetime.fromtimestamp(second, timezone.utc))
        if self._from + _PAGE_SIZE > WINDOW:
            raise LogbookError(f"More than {WINDOW} entries have the time {start}: this service cannot show the others.")
        paging = [("start", start), ("tz", "UTC"), ("sort", "up")]
        paging += [("size", str(_PAGE_SIZE)), ("from", str(self._from))]
        return Call("GET", "/logs/search", [*to_parameters(self._conditions), *paging])

    def take(self, answer: httpx.Response) -> list[Change]:
        entries = interpret(answer, lambda body: read_logs(body, self._base_url))
        self._pauses, self.pause = self._retries.pauses_forever(), self._poll_seconds
        if self._position.value is None:
            self._position.set(_position_of(entries[0]) if entries else "0/-1")
            return []
        if len(entries) >= _PAGE_SIZE:
            self.pause = 0.0
            if entries[-1].createdDate // 1_000 == self._second:
                self._from += len(entries)
        last = self._last()
        fresh = sorted(
            (entry for entry in entries if (entry.createdDate, entry.id) > last),
            key=lambda entry: (entry.createdDate, entry.id),
        )
        return [Change("created", entry, _position_of(entry), entry.version) for entry in fresh]

    def fail(self, error: LogbookError) -> list[Change]:
        """Has the call repeated after a growing pause, or raises an error that will not pass."""
        if not isinstance(error, Unreachable) and not (isinstance(error, Refused) and error.status >= 500):
            raise error
        _log.warning("new entries cannot be read at present: %s", error)
        self.pause = next(self._pauses)
        return []

    def _last(self) -> tuple[int, int]:
        date, slash, number = (self._position.value or "").partition("/")
        if date == "0" and not slash:
            return 0, -1
        if not slash or not date.lstrip("-").isdigit():
            raise ValueError(f"{self._position.value!r} is not a position of this service. Begin without one.")
        return int(date), int(number)


def _position_of(entry: Entry) -> str:
    return f"{entry.createdDate}/{entry.id}"
