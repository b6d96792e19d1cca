"""Files that survive a crash, and locks that end with their process."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Iterator, Optional

from . import forking


def sync_directory(directory: Path) -> None:
    """Makes names in a directory durable. On Windows, the file system does this."""
    if sys.platform == "win32":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems, such as SMB, support this for files only.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def write_synced(file: Path, content: bytes) -> None:
    """Writes a new file and waits until it is on the disk."""
    with open(file, "wb") as output:
        output.write(content)
        output.flush()
        os.fsync(output.fileno())


def copy_synced(source: IO[bytes], file: Path) -> None:
    """Copies to a new file and waits until it is on the disk."""
    with open(file, "wb") as output:
        shutil.copyfileobj(source, output, 1 << 20)
        output.flush()
        os.fsync(output.fileno())


def write_durably(file: Path, content: bytes) -> None:
    """Replaces a file: after a crash it has the old content or the new one."""
    part = file.with_name(f"{file.name}.part")
    try:
        write_synced(part, content)
    except OSError:
        # The disk may be full.
        part.unlink(missing_ok=True)
        raise
    os.replace(part, file)
    sync_directory(file.parent)


def reserve(file: Path, size: int = 4_096) -> None:
    """Writes a file of spaces, as room for its content. To `read_json`, it does not exist."""
    file.write_bytes(b" " * size)


def write_reserved(file: Path, content: bytes) -> None:
    """Overwrites a reserved file, even on a full disk. After a crash, the file may not exist to `read_json`.

    A file with too little room is replaced.
    """
    size = file.stat().st_size if file.exists() else -1
    if len(content) > size:
        write_durably(file, content)
        return
    with open(file, "r+b") as output:
        output.write(content.ljust(size))
        output.flush()
        os.fsync(output.fileno())


def read_json(file: Path) -> Optional[dict[str, Any]]:
    """The content of a file; None if it does not exist or is damaged."""
    try:
        content = json.loads(file.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) else None


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yields a temporary file to write. It replaces the given file at the end, and is removed if anything fails."""
    part = file.with_name(f".{uuid.uuid4().hex}.part")
    try:
        yield part
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)


class FileLock:
    """A lock between processes. The system releases it when its process ends, also by `kill -9`.

    A forked child closes its copy of the descriptor, which would keep the lock after the parent's end.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: Optional[int] = None

    def acquire(self, blocking: bool = True, timeout: Optional[float] = None) -> bool:
        """Takes the lock. Returns False if another process has it: at the timeout, or at the call unless `blocking`."""
        with forking.guard:
            descriptor = self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
            forking.descriptors[descriptor] = self._forget
        end = None if timeout is None else time.monotonic() + timeout
        try:
            while not _try_lock(descriptor):
                if not blocking or (end is not None and time.monotonic() >= end):
                    self._close()
                    return False
                time.sleep(0.02)
        except BaseException:
            self._close()
            raise
        return True

    def release(self) -> None:
        if self._descriptor is not None:
            # A process that C code forked has the descriptor, too: closing this one would not release the lock.
            _unlock(self._descriptor)
            self._close()

    def _close(self) -> None:
        with forking.guard:
            descriptor, self._descriptor = self._descriptor, None
            if descriptor is not None:
                del forking.descriptors[descriptor]
                os.close(descriptor)

    def _forget(self) -> None:
        self._descriptor = None

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
