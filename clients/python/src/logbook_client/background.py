"""A thread that sends what waits in a spool."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from typing import Optional

from .calls import Retries
from .spool import Spool

log = logging.getLogger("logbook_client.spool")


class SpoolSender:
    """Sends in the background while the process runs, with growing pauses while the service is unreachable."""

    _LINGER_SECONDS = 5.0

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self._thread: Optional[threading.Thread] = None
        self._lock = threading.Lock()
        self._process = os.getpid()
        atexit.register(self.stop)

    def wake(self) -> None:
        with self._lock:
            self._wanted.set()
            if self._thread is None or not self._thread.is_alive():
                self._thread = self._start()

    def _start(self) -> Optional[threading.Thread]:
        thread = threading.Thread(target=self._work, name="logbook-spool", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            # Since Python 3.12, a process that is ending cannot start a thread. The entries are on the disk.
            log.warning("entries wait in %s for a later process: %s", self._spool.directory, error)
            return None
        return thread

    def stop(self) -> None:
        """Ends the thread once nothing waits, or at the latest after a few seconds."""
        if self._process != os.getpid():
            # A forked child does not have the thread, and the parent may have held the locks.
            return
        self._stopping.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(self._LINGER_SECONDS)

    def close(self) -> None:
        self.stop()
        atexit.unregister(self.stop)

    def _work(self) -> None:
        pauses = Retries(max_seconds=60.0).pauses_forever()
        while True:
            self._wanted.wait()
            self._wanted.clear()
            is_done = self._send()
            # An entry may have been stored after the last look.
            if self._stopping.is_set() and not (is_done and self._wanted.is_set()):
                return
            if is_done:
                pauses = Retries(max_seconds=60.0).pauses_forever()
            else:
                self._wanted.set()
                self._stopping.wait(next(pauses))

    def _send(self) -> bool:
        """Returns whether everything has been sent."""
        try:
            report = self._spool.send(wait_seconds=1.0)
        except Exception:
            # The entries are on the disk. At the end of the process, the connection may already be closed.
            if not self._stopping.is_set():
                log.exception("the spool in %s could not be sent", self._spool.directory)
            return False
        for item in report.refused:
            log.error("entry %s is set aside: %s", item.directory / "refused" / item.name, item.refusal)
        if report.problem is not None:
            log.warning("%d entries wait in %s: %s", report.waiting, self._spool.directory, report.problem)
        return report.problem is None and report.waiting == 0
