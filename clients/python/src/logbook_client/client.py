"""The blocking client."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Iterator, Literal, Optional, Sequence, Type, TypeVar, Union, cast, overload

from typing_extensions import Unpack

from ._httpx import httpx
from . import models
from .background import SpoolSender
from .calls import Call, Pause, Retries, Step, Steps
from .durable import replacing
from .entry import Entry
from .errors import LogbookError
from .fields import Edit, NewEntry, id_of, reply_title
from .files import Attachable, target_of
from .following import STREAM_TIMEOUT, Change, EventStream, NewEntries, Position, wait_for_capabilities
from .forking import OfProcess
from .operations import Capabilities, Catalogue, Operations, new_key
from .runs import Run
from .searching import Filter, Pages, Sort
from .settings import Settings, find_settings
from .signing_in import Show, SignedIn, sign_in, sign_out
from .spool import Spool
from .spooled import SpooledEntry

T = TypeVar("T")


class Client:
    """A connection to a logbook.

    The address and the credentials come from the arguments, from `LOGBOOK_URL`, `LOGBOOK_TOKEN`, `LOGBOOK_USER` and
    `LOGBOOK_PASSWORD`, from `sign_in`, or from the file netrc. `timeout` is in seconds.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        token: Optional[str] = None,
        user: Optional[str] = None,
        password: Optional[str] = None,
        timeout: float = 30.0,
        retries: Optional[Retries] = None,
        spool_directory: Optional[Union[str, os.PathLike[str]]] = None,
    ) -> None:
        settings = find_settings(
            url,
            token=token,
            user=user,
            password=password,
            timeout=timeout,
            retries=retries,
            spool_directory=spool_directory,
        )
        self._connect(settings)

    @classmethod
    def from_settings(cls, settings: Settings) -> Client:
        """A client with existing settings."""
        client = cls.__new__(cls)
        client._connect(settings)
        return client

    def _connect(self, settings: Settings) -> None:
        self.settings = settings
        self._operations = Operations(settings)
        self._http = OfProcess(self._open_connections)
        self._http.get()
        self._spool: Optional[Spool] = None
        self._sender = OfProcess(lambda: SpoolSender(self.spool))

    def _open_connections(self) -> httpx.Client:
        one = self.settings
        return httpx.Client(headers=one.headers, auth=one.auth, timeout=one.timeout, verify=one.tls())

    def capabilities(self) -> Capabilities:
        """Abilities of the service."""
        return self._run(self._operations.capabilities())

    def catalogue(self) -> Catalogue:
        """Logbooks, tags, levels and properties."""
        return self._run(self._operations.catalogue())

    def sign_in(self, show: Show, *, name: str = "", rights: Sequence[str] = ("entries",), days: int = 30) -> SignedIn:
        """Waits until a person confirms the code that `show` gets; clients that are made later use the token."""
        return self._run(sign_in(self._operations, show, name, rights, days))

    def sign_out(self) -> bool:
        """Ends the token of `sign_in`. Returns False if there is none."""
        return self._run(sign_out(self._operations))

    @overload
    def post(
        self, title: str, text: str = "", *, spool: Literal[False] = False, **fields: Unpack[NewEntry]
    ) -> Entry: ...

    @overload
    def post(self, title: str, text: str = "", *, spool: Literal[True], **fields: Unpack[NewEntry]) -> SpooledEntry: ...

    def post(
        self, title: str, text: str = "", *, spool: bool = False, **fields: Unpack[NewEntry]
    ) -> Union[Entry, SpooledEntry]:
        """Creates an entry.

        With `spool=True`, it returns once the entry is on the local disk. It is sent in the background, or by the next
        process that uses the spool.
        """
        if not spool:
            return self._run(self._operations.post(title, text, fields))
        spooled = self.spool.add(title, text, fields)
        self.send_spool()
        return spooled

    def send_spool(self) -> None:
        """Sends what waits in the spool, in the background."""
        self._sender.get().wake()

    def reply(
        self, to: Union[Entry, int], text: str, *, title: Optional[str] = None, **fields: Unpack[NewEntry]
    ) -> Entry:
        """Replies to an entry, in the same logbooks unless others are given."""
        parent = to if isinstance(to, Entry) else self.get(to)
        fields.setdefault("logbooks", parent.logbook_names)
        fields["reply_to"] = parent
        return self.post(title or reply_title(parent), text, **fields)

    def run(self, title: str, text: str = "", *, key: Optional[str] = None, **fields: Unpack[NewEntry]) -> Run:
        """Opens an entry that grows by blocks until its `with` block ends; the same `key` continues an open one."""
        opening = self._operations.open_run(title, text, fields, key or new_key(), is_own_key=key is None)
        return Run(self._operations, self._run, self._run(opening), is_own_key=key is None)

    def get(self, entry_id: int) -> Entry:
        """The entry with this id."""
        return self._run(self._operations.get(entry_id))

    def edit(self, entry: Union[Entry, int], **changes: Unpack[Edit]) -> Entry:
        """Edits an entry; the service keeps the previous version.

        Raises `EditConflict` if the given entry was edited after it was read or, for a new text, has new blocks. If an
        id is given, new blocks of an open run stay, but this edit may then overwrite fields of a concurrent edit.
        """
        return self._run(self._operations.edit(entry, changes))

    def attach(self, entry: Union[Entry, int], *files: Attachable) -> Entry:
        """Adds files to an entry."""
        return self.edit(id_of(entry), files=files)

    def group(self, *entries: Union[Entry, int]) -> list[Entry]:
        """Joins entries in one thread."""
        return self._run(self._operations.group([id_of(entry) for entry in entries]))

    def versions(self, entry: Union[Entry, int]) -> list[Entry]:
        """Earlier versions of an entry, newest first."""
        return self._run(self._operations.versions(entry))

    def search(
        self, *, sort: Sort = "down", limit: Optional[int] = None, page_size: int = 100, **conditions: Unpack[Filter]
    ) -> Iterator[Entry]:
        """All entries that match, page by page, however many they are; newest first."""
        pages = Pages(conditions, sort, page_size, self.settings.url, limit)
        while (call := pages.next_call()) is not None:
            for entry in pages.take(self._run(self._operations.perform(call))):
                yield entry

    def similar(self, meaning: str, **conditions: Unpack[Filter]) -> list[Entry]:
        """Entries similar in meaning to a text, the most similar first; at most 10."""
        return self._run(self._operations.similar(meaning, conditions))

    def read_file(self, attachment: Union[models.Attachment, str]) -> bytes:
        """Content of a file of an entry, by the attachment or its id."""
        return self._run(self._operations.perform(self._operations.file(attachment))).content

    def save_file(self, attachment: models.Attachment, target: Union[str, os.PathLike[str]]) -> Path:
        """Saves a file of an entry, of any size, as `target` or, if that is a directory, in it under its own name."""
        path = target_of(attachment, target)
        with replacing(path) as part:
            self._run(self._operations.perform(replace(self._operations.file(attachment), target=part)))
        return path

    def follow(
        self,
        *,
        position: Optional[str] = None,
        state: Optional[Union[str, os.PathLike[str]]] = None,
        poll_seconds: float = 10.0,
        **conditions: Unpack[Filter],
    ) -> Iterator[Change]:
        """Changes of entries that match, each once, as they happen; endless.

        It reconnects automatically. With `state`, a file, a later process continues after the last change that the loop
        has processed. `position` is where to begin: that of an earlier change, or `0` for all.
        """
        place, url = Position(position, state), self.settings.url
        try:
            if self._run(wait_for_capabilities(self._operations)).streams_changes:
                yield from self._stream(EventStream(conditions, place, url), place)
            else:
                yield from self._poll(NewEntries(conditions, place, url, self.settings.retries, poll_seconds), place)
        finally:
            place.close()

    def _stream(self, stream: EventStream, place: Position) -> Iterator[Change]:
        pauses = self.settings.retries.pauses_forever()
        while True:
            with stream.until_lost(), self._open(stream.call()) as answer:
                if stream.is_open(answer):
                    for chunk in answer.iter_bytes():
                        pauses = self.settings.retries.pauses_forever()
                        for change in stream.take(chunk):
                            yield change
                            place.set(change.position)
            time.sleep(next(pauses))

    def _poll(self, entries: NewEntries, place: Position) -> Iterator[Change]:
        while True:
            try:
                changes = entries.take(self._run(self._operations.perform(entries.call())))
            except LogbookError as error:
                changes = entries.fail(error)
            for change in changes:
                yield change
                place.set(change.position)
            time.sleep(entries.pause)

    @property
    def spool(self) -> Spool:
        """Entries of this user for this service that are on the local disk."""
        if self._spool is None:
            self._spool = Spool(self.settings, self._run)
        return self._spool

    def close(self) -> None:
        """Gives spooled entries a few seconds to be sent, and closes the connection."""
        sender, connections = self._sender.existing(), self._http.existing()
        if sender is not None:
            sender.close()
        if connections is not None:
            connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                try:
                    answer = self._take(step)
                except httpx.RequestError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            return cast(T, done.value)

    def _take(self, step: Step) -> Optional[httpx.Response]:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        with ExitStack() as opened:
            connections = self._http.get()
            request = step.build(connections, self.settings.url, opened)
            if step.target is None:
                return connections.send(request)
            answer = connections.send(request, stream=True)
            opened.callback(answer.close)
            if not answer.is_success:
                answer.read()
                return answer
            with step.target.open("wb") as output:
                for chunk in answer.iter_bytes():
                    output.write(chunk)
            return answer

    @contextmanager
    def _open(self, call: Call) -> Iterator[httpx.Response]:
        """Opens a stream."""
        with ExitStack() as opened:
            connections = self._http.get()
            request = call.build(connections, self.settings.url, opened)
            request.extensions["timeout"] = httpx.Timeout(self.settings.timeout, read=STREAM_TIMEOUT).as_dict()
            answer = connections.send(request, stream=True)
            opened.callback(answer.close)
            if not answer.is_success:
                answer.read()
            yield answer
