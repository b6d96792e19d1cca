"""The client for asyncio. Everything but the waiting is shared with the blocking client."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import AsyncGenerator, AsyncIterator, Literal, Optional, Sequence, Type, TypeVar, Union, cast, overload

from typing_extensions import Unpack

from ._httpx import httpx
from . import models
from .calls import Call, Pause, Retries, Step, Steps
from .client import Client
from .durable import replacing
from .entry import Entry
from .errors import LogbookError
from .fields import Edit, NewEntry, id_of, reply_title
from .files import Attachable, target_of
from .following import STREAM_TIMEOUT, Change, EventStream, NewEntries, Position, wait_for_capabilities
from .forking import OfProcess
from .operations import Capabilities, Catalogue, Operations, new_key
from .runs import AsyncRun
from .searching import Filter, Pages, Sort
from .settings import find_settings
from .signing_in import Show, SignedIn, sign_in, sign_out
from .spooled import SpooledEntry

T = TypeVar("T")


class AsyncClient:
    """A connection to a logbook for asyncio; each method does the same as that of `Client`."""

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
        self.settings = find_settings(
            url,
            token=token,
            user=user,
            password=password,
            timeout=timeout,
            retries=retries,
            spool_directory=spool_directory,
        )
        self._operations = Operations(self.settings)
        self._http = OfProcess(self._open_connections)
        self._http.get()
        self._blocking: Optional[Client] = None

    def _open_connections(self) -> httpx.AsyncClient:
        one = self.settings
        return httpx.AsyncClient(headers=one.headers, auth=one.auth, timeout=one.timeout, verify=one.tls())

    async def capabilities(self) -> Capabilities:
        """Abilities of the service."""
        return await self._run(self._operations.capabilities())

    async def sign_in(
        self, show: Show, *, name: str = "", rights: Sequence[str] = ("entries",), days: int = 30
    ) -> SignedIn:
        """Waits until a person confirms the code that `show` gets; clients that are made later use the token."""
        return await self._run(sign_in(self._operations, show, name, rights, days))

    async def sign_out(self) -> bool:
        """Ends the token of `sign_in`. Returns False if there is none."""
        return await self._run(sign_out(self._operations))

    async def catalogue(self) -> Catalogue:
        """Logbooks, tags, levels and properties."""
        return await self._run(self._operations.catalogue())

    @overload
    async def post(
        self, title: str, text: str = "", *, spool: Literal[False] = False, **fields: Unpack[NewEntry]
    ) -> Entry: ...

    @overload
    async def post(
        self, title: str, text: str = "", *, spool: Literal[True], **fields: Unpack[NewEntry]
    ) -> SpooledEntry: ...

    async def post(
        self, title: str, text: str = "", *, spool: bool = False, **fields: Unpack[NewEntry]
    ) -> Union[Entry, SpooledEntry]:
        """Creates an entry. With `spool=True`, it returns once the entry is on the local disk."""
        if not spool:
            return await self._run(self._operations.post(title, text, fields))
        if self._blocking is None:
            self._blocking = Client.from_settings(self.settings)
        blocking = self._blocking
        return await asyncio.to_thread(lambda: blocking.post(title, text, spool=True, **fields))

    async def reply(
        self, to: Union[Entry, int], text: str, *, title: Optional[str] = None, **fields: Unpack[NewEntry]
    ) -> Entry:
        """Replies to an entry, in the same logbooks unless others are given."""
        parent = to if isinstance(to, Entry) else await self.get(to)
        fields.setdefault("logbooks", parent.logbook_names)
        fields["reply_to"] = parent
        return await self.post(title or reply_title(parent), text, **fields)

    def run(self, title: str, text: str = "", *, key: Optional[str] = None, **fields: Unpack[NewEntry]) -> AsyncRun:
        """An entry that grows by blocks while its `async with` block runs; the same `key` continues an open one."""
        once, is_own = key or new_key(), key is None
        return AsyncRun(
            self._operations,
            self._run,
            lambda: self._operations.open_run(title, text, fields, once, is_own_key=is_own),
            is_own_key=is_own,
        )

    async def get(self, entry_id: int) -> Entry:
        """The entry with this id."""
        return await self._run(self._operations.get(entry_id))

    async def edit(self, entry: Union[Entry, int], **changes: Unpack[Edit]) -> Entry:
        """Edits an entry; raises `EditConflict` as `Client.edit` does."""
        return await self._run(self._operations.edit(entry, changes))

    async def attach(self, entry: Union[Entry, int], *files: Attachable) -> Entry:
        """Adds files to an entry."""
        return await self.edit(id_of(entry), files=files)

    async def group(self, *entries: Union[Entry, int]) -> list[Entry]:
        """Joins entries in one thread."""
        return await self._run(self._operations.group([id_of(entry) for entry in entries]))

    async def versions(self, entry: Union[Entry, int]) -> list[Entry]:
        """Earlier versions of an entry, newest first."""
        return await self._run(self._operations.versions(entry))

    async def search(
        self, *, sort: Sort = "down", limit: Optional[int] = None, page_size: int = 100, **conditions: Unpack[Filter]
    ) -> AsyncGenerator[Entry, None]:
        """All entries that match, page by page, however many they are; newest first."""
        pages = Pages(conditions, sort, page_size, self.settings.url, limit)
        while (call := pages.next_call()) is not None:
            for entry in pages.take(await self._run(self._operations.perform(call))):
                yield entry

    async def similar(self, meaning: str, **conditions: Unpack[Filter]) -> list[Entry]:
        """Entries similar in meaning to a text, the most similar first; at most 10."""
        return await self._run(self._operations.similar(meaning, conditions))

    async def read_file(self, attachment: Union[models.Attachment, str]) -> bytes:
        """Content of a file of an entry, by the attachment or its id."""
        return (await self._run(self._operations.perform(self._operations.file(attachment)))).content

    async def save_file(self, attachment: models.Attachment, target: Union[str, os.PathLike[str]]) -> Path:
        """Saves a file of an entry as `target` or, if that is a directory, in it under its own name."""
        path = target_of(attachment, target)
        with replacing(path) as part:
            await self._run(self._operations.perform(replace(self._operations.file(attachment), target=part)))
        return path

    async def follow(
        self,
        *,
        position: Optional[str] = None,
        state: Optional[Union[str, os.PathLike[str]]] = None,
        poll_seconds: float = 10.0,
        **conditions: Unpack[Filter],
    ) -> AsyncGenerator[Change, None]:
        """Changes of entries that match, each once, as they happen; endless."""
        place, url = Position(position, state), self.settings.url
        changes: Optional[AsyncGenerator[Change, None]] = None
        try:
            if (await self._run(wait_for_capabilities(self._operations))).streams_changes:
                changes = self._stream(EventStream(conditions, place, url), place)
            else:
                changes = self._poll(NewEntries(conditions, place, url, self.settings.retries, poll_seconds), place)
            async for change in changes:
                yield change
        finally:
            if changes is not None:
                await changes.aclose()
            place.close()

    async def _stream(self, stream: EventStream, place: Position) -> AsyncGenerator[Change, None]:
        pauses = self.settings.retries.pauses_forever()
        while True:
            with stream.until_lost():
                async with self._open(stream.call()) as answer:
                    if stream.is_open(answer):
                        async for chunk in answer.aiter_bytes():
                            pauses = self.settings.retries.pauses_forever()
                            for change in stream.take(chunk):
                                yield change
                                place.set(change.position)
            await asyncio.sleep(next(pauses))

    async def _poll(self, entries: NewEntries, place: Position) -> AsyncGenerator[Change, None]:
        while True:
            try:
                changes = entries.take(await self._run(self._operations.perform(entries.call())))
            except LogbookError as error:
                changes = entries.fail(error)
            for change in changes:
                yield change
                place.set(change.position)
            await asyncio.sleep(entries.pause)

    async def close(self) -> None:
        """Gives spooled entries a few seconds to be sent, and closes the connection."""
        if self._blocking is not None:
            await asyncio.to_thread(self._blocking.close)
        connections = self._http.existing()
        if connections is not None:
            await connections.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                try:
                    answer = await self._take(step)
                except httpx.RequestError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as done:
            return cast(T, done.value)

    async def _take(self, step: Step) -> Optional[httpx.Response]:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        with ExitStack() as opened:
            connections = self._http.get()
            request = step.build(connections, self.settings.url, opened)
            if step.target is None:
                return await connections.send(request)
            answer = await connections.send(request, stream=True)
            try:
                if not answer.is_success:
                    await answer.aread()
                    return answer
                with step.target.open("wb") as output:
                    async for chunk in answer.aiter_bytes():
                        output.write(chunk)
                return answer
            finally:
                await answer.aclose()

    @asynccontextmanager
    async def _open(self, call: Call) -> AsyncIterator[httpx.Response]:
        """Opens a stream."""
        with ExitStack() as opened:
            connections = self._http.get()
            request = call.build(connections, self.settings.url, opened)
            request.extensions["timeout"] = httpx.Timeout(self.settings.timeout, read=STREAM_TIMEOUT).as_dict()
            answer = await connections.send(request, stream=True)
            try:
                if not answer.is_success:
                    await answer.aread()
                yield answer
            finally:
                await answer.aclose()
