"""Client for Logbook and Olog, the electronic logbooks of large scientific facilities.

from logbook_client import Client

with Client("https://logbook.example.org/logbook", token="…") as logbook:
    logbook.post("Magnet trip", "Q1 **tripped** at 03:12.", logbooks="operations", tags=["alarm"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "1.0.0"

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .calls import Retries
    from .client import Client
    from .entry import Entry
    from .errors import (
        EditConflict,
        LogbookError,
        NotFound,
        OutcomeUnknown,
        Refused,
        SignInFailed,
        SpoolFailed,
        UnexpectedAnswer,
        Unreachable,
    )
    from .files import File
    from .following import Change
    from .models import Attachment
    from .operations import Capabilities, Catalogue
    from .runs import AsyncRun, Run
    from .signing_in import SignedIn, SignInCode
    from .spool import Spool
    from .spooled import SpooledEntry, SpoolReport

_MODULES = {
    "AsyncClient": "async_client",
    "AsyncRun": "runs",
    "Retries": "calls",
    "Client": "client",
    "Entry": "entry",
    "EditConflict": "errors",
    "LogbookError": "errors",
    "NotFound": "errors",
    "OutcomeUnknown": "errors",
    "Refused": "errors",
    "SignInFailed": "errors",
    "SpoolFailed": "errors",
    "UnexpectedAnswer": "errors",
    "Unreachable": "errors",
    "File": "files",
    "Change": "following",
    "Attachment": "models",
    "Capabilities": "operations",
    "Catalogue": "operations",
    "Run": "runs",
    "SignedIn": "signing_in",
    "SignInCode": "signing_in",
    "Spool": "spool",
    "SpooledEntry": "spooled",
    "SpoolReport": "spooled",
}

__all__ = [
    "AsyncClient",
    "AsyncRun",
    "Attachment",
    "Capabilities",
    "Catalogue",
    "Change",
    "Client",
    "EditConflict",
    "Entry",
    "File",
    "LogbookError",
    "NotFound",
    "OutcomeUnknown",
    "Refused",
    "Retries",
    "Run",
    "SignInCode",
    "SignInFailed",
    "SignedIn",
    "Spool",
    "SpoolFailed",
    "SpoolReport",
    "SpooledEntry",
    "UnexpectedAnswer",
    "Unreachable",
]


def __getattr__(name: str) -> object:
    """Loads a module on first use, so that the command line starts faster."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: object) -> None:
    """Registers the cell magic `%%logbook`."""
    from .jupyter import register

    register(shell)
