"""Search parameters, and the walk through all pages of a search."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Iterable, Literal, Optional, Union

from typing_extensions import TypedDict

from ._httpx import httpx
from .calls import Call, interpret
from .entry import Entry, read_entry
from .errors import LogbookError
from .fields import Names, to_names

#: A moment, an amount of time before now, or text as in the search box, such as `2 days` or `2026-03-01 06:00`.
When = Union[datetime, timedelta, str]


class Filter(TypedDict, total=False):
    """Conditions of a search, all of which must hold."""

    #: Words anywhere in an entry, and filters such as `tag=alarm`; an Olog service ignores it.
    query: str
    #: Words of the text; `*` and `?` are wildcards.
    text: str
    title: str
    phrase: str
    owner: Names
    logbooks: Names
    tags: Names
    level: Names
    #: `name`, `name.attribute` or `name.attribute.value`, with wildcards.
    properties: Names
    #: A kind of file, such as `image`, or a file name; empty: any file.
    attachments: str
    start: When
    end: When
    #: Time zone of times that are given as text.
    tz: str


def to_parameters(conditions: Filter) -> list[tuple[str, str]]:
    """Parameters of a filter. Moments are sent in UTC, in the one form that every service reads."""
    unknown = [name for name in conditions if name not in Filter.__annotations__]
    if unknown:
        raise TypeError(f"Unknown condition {unknown[0]!r}; the conditions are {', '.join(Filter.__annotations__)}.")
    times = [conditions[name] for name in ("start", "end") if name in conditions]
    moments = [at for at in times if not isinstance(at, str)]
    if moments and (len(moments) < len(times) or "tz" in conditions):
        raise ValueError("Give start and end either both as text, with tz, or both as datetime or timedelta.")
    parameters = [(name, _to_value(value)) for name, value in conditions.items() if value is not None]
    return [*parameters, ("tz", "UTC")] if moments else parameters


def _to_value(value: Any) -> str:
    if isinstance(value, timedelta):
        return format_moment(datetime.now(timezone.utc) - value)
    if isinstance(value, datetime):
        return format_moment(value)
    return value if isinstance(value, str) else ",".join(_quoted(name) for name in to_names(value))


def _quoted(name: str) -> str:
    """A name with separators is quoted, since lists are written with them."""
    return f'"{name}"' if any(sign in name for sign in ",;|") and '"' not in name else name


def format_moment(at: datetime) -> str:
    return at.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def read_logs(body: Any, base_url: str) -> list[Entry]:
    """Entries of a list, or of a search result."""
    logs = body["logs"] if isinstance(body, dict) else body
    return [read_entry(one, base_url) for one in logs or []]


Sort = Literal["up", "down", "relevance"]
#: An Olog service refuses to show entries beyond this position.
WINDOW = 10_000


class Pages:
    """The pages of one search, to the end.

    A Logbook service answers with the moment of the first page, and shows later pages as of that moment. An Olog
    service shows 10,000 entries of a search: the walk then continues with a search that begins at the time of the last
    entry, and leaves out those that it has seen.
    """

    def __init__(self, conditions: Filter, sort: Sort, page_size: int, base_url: str, limit: Optional[int] = None) -> None:
        self._size = min(page_size, limit or page_size)
        if not 1 <= self._size <= 1_000:
            raise ValueError("page_size is between 1 and 1000.")
        self._parameters = to_parameters(conditions)
        self._sort = sort
        #: Number of entries that are still wanted; None: all.
        self._left = limit or None
        self._base_url = base_url
        self._from = 0
        self._as_of = "now"
        #: Bound of the present search in place of `start` or `end`, and the entries of its second that were seen.
        self._bound: Optional[str] = None
        self._seen: set[int] = set()
        self._last: Optional[Entry] = None
        self._is_done = False

    def next_call(self) -> Optional[Call]:
        """The request of the next page; None after the last one."""
        if self._is_done:
            return None
        paging = [("sort", self._sort), ("size", str(self._size)), ("from", str(self._from)), ("asOf", self._as_of)]
        return Call("GET", "/logs/search", [*self._bounded(), *paging])

    def take(self, answer: httpx.Response) -> list[Entry]:
        """Entries of a page that were not on an earlier one."""
        entries, as_of = interpret(answer, self._read)
        if as_of is not None:
            self._as_of = as_of
        self._is_done = len(entries) < self._size
        self._from += len(entries)
        fresh = [entry for entry in entries if entry.id not in self._seen]
        if fresh:
            self._last = fresh[-1]
        if as_of is None:
            self._note(fresh)
            if not self._is_done and self._from + self._size > WINDOW:
                self._narrow()
        if self._left is not None:
            fresh = fresh[: self._left]
            self._left -= len(fresh)
            self._is_done = self._is_done or self._left == 0
        return fresh

    def _read(self, body: Any) -> tuple[list[Entry], Optional[str]]:
        """Entries of a page, and the moment of the first page if the service knows it."""
        as_of = body.get("asOf") if isinstance(body, dict) else None
        return read_logs(body, self._base_url), None if as_of is None else str(as_of)

    def _note(self, entries: Iterable[Entry]) -> None:
        """Remembers the entries of the last second: bounds of an Olog service have the precision of seconds."""
        for entry in entries:
            if self._seen and entry.createdDate // 1_000 != self._second:
                self._seen.clear()
            self._second = entry.createdDate // 1_000
            self._seen.add(entry.id)

    _second = -1

    def _narrow(self) -> None:
        """Begins another search at the time of the last entry."""
        bound = None if self._last is None else format_moment(self._last.created)
        if bound is None or bound[:19] == (self._bound or "")[:19]:
            raise LogbookError(
                f"More than {WINDOW} entries of this search have the time {bound}: this service cannot show the rest."
            )
        self._bound = bound
        self._from = 0

    def _bounded(self) -> list[tuple[str, str]]:
        if self._bound is None:
            return self._parameters
        name = "start" if self._sort == "up" else "end"
        others = [(key, value) for key, value in self._parameters if key not in (name, "tz")]
        if any(key in ("start", "end") for key, _ in others) and ("tz", "UTC") not in self._parameters:
            raise LogbookError(
                "This service shows 10,000 entries of a search. To see all of them, give start and end as datetime."
            )
        return [*others, (name, self._bound), ("tz", "UTC")]
