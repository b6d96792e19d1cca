"""Entries of a spool, and the result of sending them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from .durable import read_json
from .entry import Entry
from .errors import LogbookError


@dataclass(frozen=True)
class SpooledEntry:
    """An entry in the spool."""

    name: str
    directory: Path

    @property
    def state(self) -> str:
        """`waiting`, `sent`, `refused`, or `gone` when its receipt is no longer kept."""
        # Entries move in this order, so that one that is being moved is still found.
        for state in ("waiting", "sent", "refused"):
            if (self.directory / state / self.name).is_dir():
                return state
        return "gone"

    @property
    def entry_id(self) -> Optional[int]:
        """Id of the entry, once it was sent."""
        receipt = read_json(self.directory / "sent" / self.name / "answer.json")
        return None if receipt is None else int(receipt["id"])

    @property
    def title(self) -> str:
        saved = read_json(self.directory / self.state / self.name / "entry.json") or {}
        return str(saved.get("body", {}).get("title", ""))

    @property
    def refusal(self) -> Optional[str]:
        """Why it was set aside."""
        saved = read_json(self.directory / "refused" / self.name / "refusal.json")
        return None if saved is None else str(saved["message"])


@dataclass
class SpoolReport:
    """Result of sending."""

    sent: dict[str, Entry] = field(default_factory=dict)
    refused: list[SpooledEntry] = field(default_factory=list)
    #: Number of entries that still wait; 0, with a problem, if the spool cannot be read.
    waiting: int = 0
    #: Why they wait; None if another process is sending, or if the time for sending is over.
    problem: Optional[LogbookError] = None

    def add(self, other: SpoolReport) -> None:
        """Adds the result of sending another spool."""
        self.sent.update(other.sent)
        self.refused += other.refused
        self.waiting += other.waiting
        self.problem = self.problem or other.problem


def item_names(directory: Path) -> list[str]:
    """Names of the entries in this directory of a spool, oldest first."""
    return sorted(name for name in os.listdir(directory) if re.fullmatch(r"[0-9]+-[0-9a-f]+", name))


def unsigned_entries(tokens: Path) -> list[Path]:
    """Directories of the entries without credentials in the spool of tokens, oldest first.

    Version 1.0.0 stored them there, and made no `attempt.json` before the first attempt. Those that were not tried are
    left out if another entry was tried with a token, because they may be entries of that token.
    """
    waiting = tokens / "waiting"
    try:
        names = item_names(waiting) if waiting.is_dir() else []
    except OSError:
        # The spool of another user.
        return []
    attempts = {waiting / name: read_json(waiting / name / "attempt.json") for name in names}
    accounts = [str(attempt.get("account", "")) for attempt in attempts.values() if attempt is not None]
    has_token = any(account.startswith("token ") for account in accounts)
    return [
        directory
        for directory, attempt in attempts.items()
        if (not has_token and not (directory / "attempt.json").exists())
        or (attempt is not None and attempt.get("account") == "")
    ]
