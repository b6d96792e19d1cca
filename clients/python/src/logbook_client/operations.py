"""Operations of a client, as steps that it runs."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Literal, Mapping, Optional, TypeVar, Union
from urllib.parse import quote

from ._httpx import httpx
from . import models
from .calls import Call, Steps, error_body, interpret, repeat
from .entry import Entry, read_entry
from .errors import EditConflict, LogbookError, OutcomeUnknown, Refused, Unreachable
from .fields import Edit, NewEntry, id_of, to_creation, to_update
from .files import File
from .searching import Filter, read_logs, to_parameters
from .settings import Settings

T = TypeVar("T")
#: Status with which a run ends.
RunEnd = Literal["done", "failed"]


@dataclass(frozen=True)
class Capabilities:
    """Abilities of a service, according to its welcome page."""

    name: str
    version: str
    #: Whether it performs repeated writes with the same key only once.
    repeats_writes: bool
    #: Whether it refuses an edit of a version that is no longer the current one.
    checks_revisions: bool
    #: Whether it sends changes as they happen.
    streams_changes: bool


def read_capabilities(welcome: Mapping[str, Any]) -> Capabilities:
    """Reads the welcome page. Services of the Olog family name their search engine in it, Logbook has `searchIndex`."""
    is_logbook = "searchIndex" in welcome
    name, version = str(welcome.get("name") or ""), str(welcome.get("version") or "")
    return Capabilities(name, version, is_logbook, is_logbook, is_logbook)


@dataclass(frozen=True)
class Catalogue:
    """Names under which entries can be filed."""

    logbooks: list[str]
    tags: list[str]
    #: Names of the levels, the default level first.
    levels: list[str]
    #: Attributes of each property.
    properties: dict[str, list[str]]


_EDIT_ATTEMPTS = 5


class Operations:
    """The operations of one service, with its capabilities once they are known."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        #: Deadline of all calls.
        self.deadline: Optional[float] = None
        self._capabilities: Optional[Capabilities] = None

    def perform(self, call: Call) -> Steps[httpx.Response]:
        return repeat(replace(call, deadline=self.deadline), self.settings.retries, self._repeats_writes)

    def capabilities(self) -> Steps[Capabilities]:
        if self._capabilities is None:
            answer = yield from self.perform(Call("GET", ""))
            body = error_body(answer)
            if "serverConfig" not in body and "version" not in body:
                raise Refused(
                    f"There is no logbook at {self.settings.url}. "
                    "The address must end with the root path, such as /logbook.",
                    answer.status_code,
                )
            self._capabilities = read_capabilities(body)
        return self._capabilities

    def post(self, title: str, text: str, fields: NewEntry, key: Optional[str] = None) -> Steps[Entry]:
        return self._create(title, text, fields, key or new_key(), [])

    def _create(
        self, title: str, text: str, fields: NewEntry, key: str, more: list[tuple[str, str]]
    ) -> Steps[Entry]:
        body, query, files = to_creation(title, text, fields)
        query += more
        call = Call("PUT", "/logs", query, body, key=key)
        if files:
            call = Call("PUT", "/logs/multipart", query, body, files, key=call.key)
        return self._entry((yield from self.perform(call)))

    def open_run(self, title: str, text: str, fields: NewEntry, key: str, *, is_own_key: bool = True) -> Steps[Entry]:
        """Opens a run. Unless `is_own_key`, an earlier process may have opened it and appended blocks."""
        if not (yield from self.capabilities()).repeats_writes:
            raise Refused(f"The service at {self.settings.url} has no runs. Post an entry when the run has ended.", 404)
        opened = yield from self._create(title, text, fields, key, [("run", "true")])
        return opened if is_own_key else (yield from self._reopen(opened))

    def _reopen(self, opened: Entry) -> Steps[Entry]:
        """Reads the current state of a run: a repeated opening gets the answer to the first one."""
        try:
            current = yield from self.get(opened.id)
        except Unreachable as error:
            raise OutcomeUnknown(f"The run of entry {opened.id} is open, but was not read. {error}") from error
        if current.run is not None and not _is_open_run(current):
            raise Refused(
                f"The run of entry {current.id} is closed with the status {current.run.status}. "
                "Open another run with another key.",
                409,
                "run.closed",
            )
        return current

    def append_block(self, entry_id: int, number: int, body: Mapping[str, Any], files: list[File]) -> Steps[None]:
        """Appends a block. The service stores the same block under the same number once, so it can be repeated."""
        path = f"/logs/{entry_id}/blocks/{number}"
        call = Call("PUT", f"{path}/multipart", body=body, files=files) if files else Call("PUT", path, body=body)
        interpret((yield from self.perform(call)), lambda answer: answer["sequence"])

    def close_run(self, entry_id: int, status: RunEnd, blocks: int) -> Steps[Entry]:
        body = {"status": status, "blocks": blocks}
        return self._entry((yield from self.perform(Call("POST", f"/logs/{entry_id}/close", body=body))))

    def get(self, entry_id: int) -> Steps[Entry]:
        return self._entry((yield from self.perform(Call("GET", f"/logs/{entry_id}"))))

    def edit(self, entry: Union[Entry, int], changes: Edit) -> Steps[Entry]:
        """Edits an entry. An entry that is given as it was read must still be the current version.

        An append to a run is no edit, but a text that was written before the append would remove the block.
        """
        key = new_key()
        for _ in range(_EDIT_ATTEMPTS):
            answer = yield from self.perform(Call("GET", f"/logs/{id_of(entry)}"))
            current = self._entry(answer)
            if isinstance(entry, Entry) and _version_of(entry) != _version_of(current):
                raise EditConflict(f"Entry {entry.id} was edited after it was read.", current)
            if isinstance(entry, Entry) and "text" in changes and _blocks_of(entry) != _blocks_of(current):
                raise EditConflict(f"A block was appended to entry {entry.id} after it was read.", current)
            etag = answer.headers.get("etag")
            # With an id, nothing says which blocks the author of the text has read. A request without If-Match keeps
            # the blocks after the last one in the text, but does not notice a concurrent edit.
            keeps_blocks = not isinstance(entry, Entry) and _may_remove_blocks(current, changes)
            call = self._update(current, changes, None if keeps_blocks else etag, f"{key}-{etag}")
            try:
                return self._entry((yield from self.perform(call)))
            except Refused as error:
                # Somebody has just replied or appended to the entry, which is no edit, or has edited it.
                if error.status != 412:
                    raise
        raise EditConflict(f"Entry {id_of(entry)} keeps changing. Repeat the edit.", None)

    def _update(self, current: Entry, changes: Edit, etag: Optional[str], key: str) -> Call:
        body, query, files = to_update(current, changes)
        headers = {"If-Match": etag} if etag else None
        if files:
            return Call("POST", "/logs/multipart", query, body, files, headers, key)
        return Call("POST", f"/logs/{current.id}", query, body, headers=headers, key=key)

    def group(self, ids: list[int]) -> Steps[list[Entry]]:
        answer = yield from self.perform(Call("POST", "/logs/group", body=ids, key=new_key()))
        return self._entries(answer)

    def versions(self, entry: Union[Entry, int]) -> Steps[list[Entry]]:
        answer = yield from self.perform(Call("GET", f"/logs/archived/{id_of(entry)}"))
        found = self._entries(answer)
        # An Olog service finds all ids that begin with this one.
        return [version for version in found if version.id == id_of(entry)]

    def similar(self, meaning: str, conditions: Filter) -> Steps[list[Entry]]:
        query = [*to_parameters(conditions), ("meaning", meaning), ("size", "1")]
        answer = yield from self.perform(Call("GET", "/logs/search", query))
        found = interpret(answer, lambda body: body.get("byMeaning"))
        if found is None:
            raise LogbookError(f"The service at {self.settings.url} cannot compare entries by meaning at the moment.")
        return interpret(answer, lambda body: [read_entry(one["entry"], self.settings.url) for one in found])

    def file(self, attachment: Union[models.Attachment, str]) -> Call:
        file_id = attachment if isinstance(attachment, str) else attachment.id
        return Call("GET", f"/attachment/{quote(file_id, safe='')}").with_headers(Accept="*/*")

    def catalogue(self) -> Steps[Catalogue]:
        levels = yield from self._list("levels", lambda one: (not one.get("defaultLevel"), str(one["name"])))
        properties = yield from self._list("properties", lambda one: (_name(one), list(map(_name, one["attributes"]))))
        return Catalogue(
            logbooks=(yield from self._list("logbooks", _name)),
            tags=(yield from self._list("tags", _name)),
            levels=[name for _, name in sorted(levels, key=lambda level: level[0])],
            properties=dict(properties),
        )

    def _list(self, name: str, read: Callable[[Any], T]) -> Steps[list[T]]:
        answer = yield from self.perform(Call("GET", f"/{name}"))
        return interpret(answer, lambda body: [read(one) for one in body])

    def _entry(self, answer: httpx.Response) -> Entry:
        return interpret(answer, lambda body: read_entry(body, self.settings.url))

    def _entries(self, answer: httpx.Response) -> list[Entry]:
        return interpret(answer, lambda body: read_logs(body, self.settings.url))

    def _repeats_writes(self) -> Steps[bool]:
        return (yield from self.capabilities()).repeats_writes


def new_key() -> str:
    return str(uuid.uuid4())


def _name(one: Any) -> str:
    return str(one["name"])


def _version_of(entry: Entry) -> tuple[int, Optional[int]]:
    return entry.version, entry.modifyDate


def _blocks_of(entry: Entry) -> int:
    return 0 if entry.run is None else entry.run.blocks


def _may_remove_blocks(current: Entry, changes: Edit) -> bool:
    """Whether the text of an edit may lack blocks of an open run."""
    if "text" not in changes or not _is_open_run(current) or _blocks_of(current) == 0:
        return False
    return current.text not in changes["text"]


def _is_open_run(entry: Entry) -> bool:
    return entry.run is not None and entry.run.status in ("running", "abandoned")
