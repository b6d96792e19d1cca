"""Entries that grow by blocks while a run continues."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Callable, Iterable, Mapping, Optional, Type, Union

from .calls import Steps
from .entry import Entry
from .files import Attachable, to_files
from .operations import Operations, RunEnd

#: Value of a block.
Value = Union[str, int, float, bool, None]


class Run:
    """A run that is open. Its blocks have numbers, so that each is stored once, in order."""

    def __init__(self, operations: Operations, perform: Callable[[Steps[Any]], Any], entry: Entry) -> None:
        #: The entry as it was opened.
        self.entry = entry
        self._operations = operations
        self._perform = perform
        self._blocks = 0
        self._appending = threading.Lock()

    def append(
        self, text: str = "", values: Optional[Mapping[str, Value]] = None, files: Iterable[Attachable] = ()
    ) -> None:
        """Appends a block. Readers see it once this returns."""
        listed = [{"name": name, "value": value} for name, value in (values or {}).items()]
        # Threads take turns: the service refuses a block that comes before the previous one.
        with self._appending:
            number = self._blocks + 1
            body = {"text": text, "values": listed}
            self._perform(self._operations.append_block(self.entry.id, number, body, to_files(files)))
            self._blocks = number

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        """Closes the run: it is `done`, or `failed` after an exception."""
        self.close("done" if kind is None else "failed")

    def close(self, status: RunEnd = "done") -> Entry:
        """Ends the run, and returns the entry as it is then. The end of a `with` block does it."""
        with self._appending:
            closed: Entry = self._perform(self._operations.close_run(self.entry.id, status, self._blocks))
            return closed
