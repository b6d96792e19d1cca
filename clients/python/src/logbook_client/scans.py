"""Runs of a RunEngine of bluesky, and how far they have been sent."""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Mapping, Optional

from .client import Client
from .errors import OutcomeUnknown, Refused, SignInFailed, Unreachable
from .fields import NewEntry, to_ms
from .files import to_files
from .operations import RunEnd, new_key
from .runs import Run, RunRest

if TYPE_CHECKING:
    from .bluesky import RunTemplate

_log = logging.getLogger("logbook_client")
#: Minimum time between two blocks: in seconds, and as a share of the time since the first, so that the longest run has
#: a few hundred blocks.
_BLOCK_SECONDS = 1.0
_BLOCK_SHARE = 0.01
_RETRY_SECONDS = 10.0
#: Maximum length of all listed points together: the size of an entry is limited.
_LISTED_CHARACTERS = 100_000

Document = Mapping[str, Any]


def _status(stop: Document) -> RunEnd:
    return "done" if stop["exit_status"] == "success" else "failed"


class Scan:
    """A run of the RunEngine, and how far it has been sent.

    One thread sends it. At the end of the process, another one leaves it to the spool, even during a request.
    """

    def __init__(self, template: RunTemplate, start: Document) -> None:
        self.template = template
        self.start = start
        self.stop: Optional[Document] = None
        self.is_done = False
        self._run: Optional[Run] = None
        #: Title, text and fields with which the run is opened, and when; the same at each attempt.
        self._opening: Optional[tuple[str, str, NewEntry]] = None
        self._opened_ms = 0
        self._key = new_key()
        self._may_be_open = False
        #: Number of blocks that the service has, except one whose append is under way.
        self._sent = 0
        self._is_end_appended = False
        self._is_refused = False
        self._begun_at = self._sent_at = time.monotonic()
        self._retry_at = 0.0
        self._points = 0
        self._listed_characters = 0
        #: Rows that are not sent, by stream and columns, and the text of the block that is being sent.
        self._rows: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        self._block = ""
        self._end = ""
        #: Held while the state of the sending changes, so that what is left to the spool is complete, and left once.
        self._changing = threading.Lock()

    def add_point(self, stream: str, columns: list[str], values: list[Any]) -> None:
        self._points += 1
        if self._points <= self.template.max_points and self._listed_characters < _LISTED_CHARACTERS:
            row = f"| {' | '.join(self.template.cell(value) for value in values)} |"
            self._listed_characters += len(row)
            self._rows.setdefault((stream, tuple(columns)), []).append(row)

    def due_at(self) -> float:
        """Time of the monotonic clock at which something is due to be sent."""
        if self.stop is not None:
            return 0.0
        if self._is_refused:
            return float("inf")
        if self._run is None or self._block:
            return self._retry_at
        if not self._rows:
            return float("inf")
        return self._sent_at + max(_BLOCK_SECONDS, _BLOCK_SHARE * (self._sent_at - self._begun_at))

    def prepare_block(self) -> None:
        """Makes the rows one block. A block that was not sent stays the same: it may have arrived."""
        if self._block or self._run is None:
            return
        with self._changing:
            self._block, self._rows = self._tables(), {}

    def send(self, logbook: Client, logbooks: str) -> None:
        """Opens the run, sends its block and closes it, as far as these steps are due."""
        try:
            if self._run is None and not self._is_refused:
                self._open(logbook, logbooks)
            if self._run is not None and self._block:
                self._run.append(self._block)
                with self._changing:
                    self._block, self._sent, self._sent_at = "", self._sent + 1, time.monotonic()
            if self._run is not None and self.stop is not None and not self._rows:
                self._close(self._run, self.stop)
        except Exception as error:
            _log.warning("the run %s is not recorded completely: %s", self.start["uid"], error)
            self._is_refused = not isinstance(error, Unreachable)
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            if self.stop is not None:
                self.leave_to_spool(logbook, logbooks, error)
        else:
            if self._is_refused and self._run is None and self.stop is not None:
                self.leave_to_spool(logbook, logbooks, None)

    def _open(self, logbook: Client, logbooks: str) -> None:
        has_runs = logbook.capabilities().repeats_writes
        with self._changing:
            if self.is_done:
                return
            title, text, fields = self._open_with(logbooks)
            was_maybe_open, self._may_be_open = self._may_be_open, self._may_be_open or has_runs
        try:
            # Nothing is appended before this process knows that the run is open.
            opened = logbook._run(logbook._operations.open_run(title, text, fields, self._key))
        except Exception as error:
            self._may_be_open = was_maybe_open or isinstance(error, OutcomeUnknown)
            raise
        self._run = Run(logbook._operations, logbook._run, opened)

    def _close(self, run: Run, stop: Document) -> None:
        if not self._is_end_appended:
            with self._changing:
                end = self._end_text(stop)
            run.append(end)
            with self._changing:
                self._is_end_appended, self._sent = True, self._sent + 1
        run.close(_status(stop))
        self.is_done = True

    def _end_text(self, stop: Document) -> str:
        """Text of the last block, the same at each attempt."""
        self._end = self._end or self.template.end(self.start, stop, self._points)
        return self._end

    def _open_with(self, logbooks: str) -> tuple[str, str, NewEntry]:
        if self._opening is None:
            fields = self.template.fields(self.start)
            fields["logbooks"] = logbooks
            if "files" in fields:
                # The files get their ids here, the same at each attempt.
                fields["files"] = to_files(fields["files"])
            self._opening = (self.template.title(self.start), self.template.text(self.start), fields)
            self._opened_ms = to_ms(datetime.now(timezone.utc))
        return self._opening

    def leave_to_spool(self, logbook: Client, logbooks: str, problem: Optional[Exception]) -> None:
        """Stores what was not sent, once: the rest of the run, or an entry if it was not opened.

        Blocks that were refused become a reply, and the run is closed without them.
        """
        with self._changing:
            if not self.is_done and self.stop is not None:
                self.is_done = True
                self._store(logbook, logbooks, self.stop, problem)

    def _store(self, logbook: Client, logbooks: str, stop: Document, problem: Optional[Exception]) -> None:
        try:
            title, begin, fields = self._open_with(logbooks)
            end = "" if self._is_end_appended else self._end_text(stop)
            blocks = [part for part in (self._block, self._tables(), end) if part]
            is_refused = isinstance(problem, Refused) and not isinstance(problem, SignInFailed)
            if not self._may_be_open:
                logbook.spool.add(title, "\n\n".join(part for part in (begin, *blocks) if part), fields)
            elif self._run is not None and is_refused and blocks:
                reply: NewEntry = {**fields, "reply_to": self._run.entry}
                logbook.spool.add(title, "\n\n".join(blocks), reply)
                blocks = []
            if self._may_be_open and not (is_refused and getattr(problem, "code", None) == "run.closed"):
                logbook.spool.add_rest(title, begin, fields, self._rest(blocks, stop))
            logbook.send_spool()
        except Exception as error:
            _log.error("the run %s is lost: %s", self.start["uid"], error)

    def _rest(self, blocks: list[str], stop: Document) -> RunRest:
        # The blocks include one whose append is under way: the service stores it once.
        entry_id = None if self._run is None else self._run.entry.id
        return RunRest(self._key, self._opened_ms, entry_id, blocks, self._sent, _status(stop))

    def _tables(self) -> str:
        tables = []
        for (stream, columns), rows in self._rows.items():
            title = "" if stream == "primary" else f"{stream}\n\n"
            cells = ["Point", *(self.template.cell(name) for name in columns)]
            head = f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}"
            tables.append("\n".join([f"{title}{head}", *rows]))
        return "\n\n".join(tables)
