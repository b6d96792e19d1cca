"""Forked children, such as those of multiprocessing: they share no connection, thread or lock with the parent."""

from __future__ import annotations

import os
import threading
from typing import Callable, Generic, Optional, TypeVar

T = TypeVar("T")

#: Held during each fork, so that no child gets a change half done. Reentrant, because a signal handler may take it.
guard = threading.RLock()
#: Descriptors that a child closes, each with a function that the child then calls.
descriptors: dict[int, Callable[[], None]] = {}


def _begin_child() -> None:
    for descriptor, forget in descriptors.items():
        os.close(descriptor)
        forget()
    descriptors.clear()
    guard.release()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=guard.acquire, after_in_parent=guard.release, after_in_child=_begin_child)


class OfProcess(Generic[T]):
    """An object that each process makes for itself when it needs it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: Optional[T] = None
        self._process = 0

    def get(self) -> T:
        found = self.existing()
        if found is not None:
            return found
        with guard:
            if self._made is None or self._process != os.getpid():
                self._made, self._process = self._make(), os.getpid()
            return self._made

    def existing(self) -> Optional[T]:
        """The object of this process; None if it has made none."""
        return self._made if self._process == os.getpid() else None
