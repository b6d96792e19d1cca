"""Output of the commands: lines for people and programs, and JSON."""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, List

import typer

if TYPE_CHECKING:
    from ..entry import Entry

#: A sentence for each entry that the command has written.
stored: List[str] = []


def write(line: str) -> None:
    sys.stdout.write(line + "\n")


def complain(message: str) -> None:
    """Writes a message for people to standard error. If its disk is full, the exit code still says what happened."""
    with suppress(OSError):
        typer.echo(f"logbook: {printable(message)}", err=True)


def printable(text: str) -> str:
    """Text without characters that control a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def line_of(entry: Entry) -> str:
    created = entry.created.astimezone().isoformat(sep=" ", timespec="minutes")
    parts = [str(entry.id), created, entry.owner, ",".join(entry.logbook_names), entry.title]
    return "\t".join(printable(part).replace("\t", " ").replace("\n", " ") for part in parts)


def facts_of(entry: Entry) -> str:
    tags = "".join(f"  #{name}" for name in entry.tag_names)
    files = "".join(f"\n  {printable(one.filename)}" for one in entry.attachments)
    created = f"{entry.created.astimezone():%Y-%m-%d %H:%M}"
    logbooks = ", ".join(entry.logbook_names)
    return printable(f"{entry.title}\n#{entry.id}  {created}  {entry.owner}  {entry.level}  {logbooks}{tags}") + files


def write_entry(entry: Entry, as_json: bool) -> None:
    """Shows an entry in one line."""
    if as_json:
        write_json(entry.model_dump(mode="json"))
    else:
        write(line_of(entry))


def write_result(entry: Entry, as_json: bool) -> None:
    """Shows the entry that a command has written."""
    stored.append(f"Entry {entry.id} is stored.")
    if as_json:
        write_json(entry.model_dump(mode="json"))
    else:
        write(f"{entry.id}\t{entry.url}")


def write_json(value: Any) -> None:
    """Writes a value in one line, which is valid in any output encoding."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    write(to_json(value, only_ascii=encoding != "utf8"))


def to_json(value: Any, only_ascii: bool = False) -> str:
    """JSON in one line. Characters that end a line or control a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=only_ascii)
    return re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
