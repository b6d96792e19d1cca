"""Errors of the client. All of them are a `LogbookError`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .entry import Entry


class LogbookError(Exception):
    """An operation that failed."""


class Unreachable(LogbookError):
    """The service did not answer, or says that it is temporarily unavailable.

    Nothing was stored, unless it is an `OutcomeUnknown`.
    """

    #: Whether something answered, if only that the service is unavailable.
    is_answer = False


class OutcomeUnknown(Unreachable):
    """The answer to a write was lost: the service may have stored it."""


class UnexpectedAnswer(LogbookError):
    """The answer is not that of a logbook, but for example the page of a proxy. A write may have been stored."""


class SpoolFailed(LogbookError):
    """The spool on the local disk cannot be read or written, for example because the disk is full."""


class Refused(LogbookError):
    """The service refused the request. Repeating it has the same result."""

    #: Whether the answer has the form of an error of a logbook, and is not, for example, the page of a proxy.
    is_from_logbook = True

    def __init__(self, message: str, status: int, code: Optional[str] = None) -> None:
        super().__init__(message)
        self.status = status
        #: Stable code of the error, such as `entry.unknown-tag`; None from an Olog service.
        self.code = code


class NotFound(Refused):
    """The entry or file does not exist, or the user may not read it."""


class SignInFailed(Refused):
    """The credentials are missing or wrong."""


class EditConflict(Refused):
    """The entry was edited after it was read, or a block was appended that the edit would remove."""

    def __init__(self, message: str, current: Optional[Entry]) -> None:
        super().__init__(message, 412, "entry.version-mismatch")
        #: The current version, if it can be read.
        self.current = current
