"""Entries that grow by blocks while a run continues."""

from __future__ import annotations

import logging
import math
import threading
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Awaitable, Callable, Iterable, Mapping, Optional, Type, Union

from .calls import Steps
from .entry import Entry
from .errors import LogbookError, Refused
from .files import Attachable, File, to_files
from .operations import Operations, RunEnd

log = logging.getLogger("logbook_client")

#: Values of a block by their names: text, numbers, booleans and None; others, such as decimals, become text.
Values = Mapping[str, object]


def to_block(text: str, values: Optional[Values] = None) -> dict[str, Any]:
    sent = [{"name": name, "value": to_plain(value)} for name, value in (values or {}).items()]
    return {"text": text, "values": sent}


def to_plain(value: object) -> Union[str, int, float, bool, None]:
    """A value as JSON can have it. Scalars of numpy become those of Python; NaN and infinities become text."""
    with suppress(AttributeError, RuntimeError, TypeError, ValueError):
        # An array has more than one item; the item of a time is a number, and a masked value has none.
        is_time = getattr(getattr(value, "dtype", None), "kind", None) in ("m", "M")
        if not is_time and getattr(value, "mask", False) is False:
            value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


@dataclass(frozen=True)
class RunRest:
    """The rest of a run, which was not sent: its last blocks and its end."""

    #: Key with which the run was opened, and when.
    key: str
    opened_ms: int
    #: Id of the entry; None if the answer to the opening was lost.
    entry_id: Optional[int]
    blocks: list[str]
    #: Number of blocks before these.
    sent: int
    status: RunEnd

    def to_json(self) -> dict[str, Any]:
        run = {"id": self.entry_id, "blocks": self.blocks, "sent": self.sent, "status": self.status}
        return {"key": self.key, "writtenMs": self.opened_ms, "run": run}


class _Blocks:
    """Numbers of the blocks of a run."""

    def __init__(self, operations: Operations) -> None:
        self._operations = operations
        #: Number of blocks that the service has, except one whose append was interrupted.
        self.count = 0
        self._may_have_another = False

    def start(self, entry: Entry, is_own_key: bool) -> None:
        """Continues after the blocks of an earlier process with the same key, whose last append may still arrive."""
        self.count = 0 if entry.run is None else entry.run.blocks
        self._may_have_another = not is_own_key

    def append(
        self, entry_id: int, text: str, values: Optional[Values], files: Iterable[Attachable]
    ) -> Steps[None]:
        body, sent = to_block(text, values), to_files(files)
        try:
            yield from self._append(entry_id, body, sent)
        except Refused as error:
            if error.code != "run.block-taken" or not self._may_have_another:
                raise
            # The interrupted append has stored another block.
            self._count_block()
            yield from self._append(entry_id, body, sent)

    def _append(self, entry_id: int, body: Mapping[str, Any], files: list[File]) -> Steps[None]:
        may_have_another = self._may_have_another
        self._may_have_another = True
        try:
            yield from self._operations.append_block(entry_id, self.count + 1, body, files)
        except Refused:
            self._may_have_another = may_have_another
            raise
        self._count_block()

    def _count_block(self) -> None:
        self.count += 1
        self._may_have_another = False


class Run:
    """A run that is open. Its blocks have numbers, so that each is stored once, in order."""

    def __init__(
        self, operations: Operations, perform: Callable[[Steps[Any]], Any], entry: Entry, *, is_own_key: bool = True
    ) -> None:
        #: The entry as it was opened.
        self.entry = entry
        self._operations = operations
        self._perform = perform
        self._blocks = _Blocks(operations)
        self._blocks.start(entry, is_own_key)
        self._appending = threading.Lock()

    @property
    def block_count(self) -> int:
        """Number of blocks that the service has acknowledged."""
        return self._blocks.count

    def append(
        self, text: str = "", values: Optional[Values] = None, files: Iterable[Attachable] = ()
    ) -> None:
        """Appends a block. Readers see it once this returns. After an interruption, it can be appended again."""
        # Threads take turns: the service refuses a block that comes before the previous one.
        with self._appending:
            self._perform(self._blocks.append(self.entry.id, text, values, files))

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        """Closes the run: it is `done`, or `failed` after an exception."""
        try:
            self.close("done" if kind is None else "failed")
        except LogbookError as problem:
            _report(self.entry, problem, error)

    def close(self, status: RunEnd = "done") -> Entry:
        """Ends the run, and returns the entry as it is then. The end of a `with` block does the same."""
        with self._appending:
            closed: Entry = self._perform(self._operations.close_run(self.entry.id, status, self._blocks.count))
            return closed


class AsyncRun:
    """A run for asyncio. `async with` opens and closes it."""

    def __init__(
        self,
        operations: Operations,
        perform: Callable[[Steps[Any]], Awaitable[Any]],
        opening: Callable[[], Steps[Entry]],
        *,
        is_own_key: bool = True,
    ) -> None:
        self._operations = operations
        self._perform = perform
        self._opening = opening
        self._is_own_key = is_own_key
        self._entry: Optional[Entry] = None
        self._blocks = _Blocks(operations)
        # Most programs do not need this module, and start faster without it.
        import asyncio

        self._appending = asyncio.Lock()

    @property
    def entry(self) -> Entry:
        """The entry as it was opened."""
        if self._entry is None:
            raise RuntimeError("The run is not open. Use it with `async with`, or await `open()` first.")
        return self._entry

    @property
    def block_count(self) -> int:
        """Number of blocks that the service has acknowledged."""
        return self._blocks.count

    async def open(self) -> AsyncRun:
        """Creates the entry, once. The start of an `async with` block does the same."""
        if self._entry is None:
            self._entry = await self._perform(self._opening())
            self._blocks.start(self._entry, self._is_own_key)
        return self

    async def append(
        self, text: str = "", values: Optional[Values] = None, files: Iterable[Attachable] = ()
    ) -> None:
        """Appends a block. Readers see it once this returns. After an interruption, it can be appended again."""
        async with self._appending:
            await self._perform(self._blocks.append(self.entry.id, text, values, files))

    async def close(self, status: RunEnd = "done") -> Entry:
        """Ends the run, and returns the entry as it is then. The end of an `async with` block does the same."""
        async with self._appending:
            closed: Entry = await self._perform(self._operations.close_run(self.entry.id, status, self._blocks.count))
            return closed

    async def __aenter__(self) -> AsyncRun:
        return await self.open()

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        """Closes the run: it is `done`, or `failed` after an exception."""
        try:
            await self.close("done" if kind is None else "failed")
        except LogbookError as problem:
            _report(self.entry, problem, error)


def _report(entry: Entry, problem: LogbookError, error: Optional[BaseException]) -> None:
    """Raises the problem of closing a run, unless it would hide the error of the program: then, it is logged."""
    if error is None:
        raise problem
    log.error("the run of entry %d is not closed: %s", entry.id, problem)
