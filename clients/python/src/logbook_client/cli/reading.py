"""Commands that read entries."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, List, Optional

import typer

from .olog_query import read_box
from .output import facts_of, line_of, printable, to_json, write, write_entry, write_json
from .program import JSON, LOGBOOKS, NOTHING_FOUND, TAGS, SearchCommand, app, connect

if TYPE_CHECKING:
    from ..client import Client
    from ..entry import Entry
    from ..following import Change

QUERY = typer.Argument(None, help="Words, and filters such as tag=alarm, as in the search box.")
LEVELS = typer.Option([], "--level", "-L", help="Level; can be repeated.")
OWNER = typer.Option([], help="Owner; can be repeated.")
START = typer.Option(None, help="Earliest time, such as '2 hours' or '2026-03-01 06:00'.")
END = typer.Option(None, help="Latest time.")


@app.command()
def get(
    entry_id: int = typer.Argument(..., help="Id of the entry."),
    save: Optional[Path] = typer.Option(None, help="Save the files of the entry in this directory."),
    as_json: bool = JSON,
) -> None:
    """Show an entry."""
    with connect() as client:
        entry = client.get(entry_id)
        if save is not None:
            save.mkdir(parents=True, exist_ok=True)
            for path in _save_files(client, entry, save):
                typer.echo(printable(str(path)), err=True)
    if as_json:
        write_entry(entry, True)
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console()
        console.print(facts_of(entry), style="bold", highlight=False, markup=False)
        console.print(Markdown(printable(entry.text)))
    else:
        write(f"{facts_of(entry)}\n\n{printable(entry.text)}")


@app.command(cls=SearchCommand)
def search(
    query: Optional[List[str]] = QUERY,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: List[str] = LEVELS,
    owner: List[str] = OWNER,
    start: Optional[str] = START,
    end: Optional[str] = END,
    limit: int = typer.Option(20, "--limit", "-n", min=0, help="Number of entries; 0: all."),
    oldest_first: bool = typer.Option(False, help="Begin with the oldest."),
    as_json: bool = JSON,
) -> None:
    """Find entries, newest first. Exits with 1 if there are none, as grep does."""
    with connect() as client:
        conditions = _conditions(client, query, logbook, tag, level, owner, start, end)
        count = 0
        for entry in client.search(sort="up" if oldest_first else "down", limit=limit or None, **conditions):
            count += 1
            write_entry(entry, as_json)
    if count == 0:
        raise typer.Exit(NOTHING_FOUND)


@app.command(cls=SearchCommand)
def follow(
    query: Optional[List[str]] = QUERY,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: List[str] = LEVELS,
    owner: List[str] = OWNER,
    state: Optional[Path] = typer.Option(None, help="File that keeps the position for the next run."),
    count: int = typer.Option(0, "--count", "-n", min=0, help="End after this number of changes; 0: never."),
    as_json: bool = JSON,
) -> None:
    """Print changes as they happen, each once."""
    with connect() as client:
        conditions = _conditions(client, query, logbook, tag, level, owner, None, None)
        seen = 0
        changes = client.follow(state=state, **conditions)
        for change in changes:
            _write_change(change, as_json)
            seen += 1
            if seen == count:
                # The loop would store the position of this change, which is printed, only before the next one.
                if state is not None:
                    from ..durable import write_durably

                    changes.close()  # type: ignore[attr-defined]
                    write_durably(state, change.position.encode())
                return


@app.command(cls=SearchCommand)
def export(
    target: Path = typer.Argument(..., help="Directory for entries.ndjson and the files."),
    query: Optional[List[str]] = QUERY,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: List[str] = LEVELS,
    owner: List[str] = OWNER,
    start: Optional[str] = START,
    end: Optional[str] = END,
    files: bool = typer.Option(True, help="Save the files, too."),
) -> None:
    """Save what a search finds, oldest first: one JSON object a line, and the files by the id of their entry.

    Exits with 1 if there is nothing, and keeps an earlier export.
    """
    from ..durable import replacing

    target.mkdir(parents=True, exist_ok=True)
    count = 0
    with connect() as client, replacing(target / "entries.ndjson") as part:
        with part.open("w", encoding="utf-8", newline="\n") as output:
            conditions = _conditions(client, query, logbook, tag, level, owner, start, end)
            for entry in client.search(sort="up", page_size=500, **conditions):
                output.write(to_json(entry.model_dump(mode="json")) + "\n")
                count += 1
                if files and entry.attachments:
                    directory = target / "files" / str(entry.id)
                    directory.mkdir(parents=True, exist_ok=True)
                    for _ in _save_files(client, entry, directory):
                        pass
            if count == 0:
                # An earlier export is kept.
                typer.echo("No entry matches; nothing is saved.", err=True)
                raise typer.Exit(NOTHING_FOUND)
    typer.echo(f"{count} entries in {target}", err=True)


def _save_files(client: Client, entry: Entry, directory: Path) -> Iterator[Path]:
    """Saves the files of an entry. Of those with the same name, all but the first get a number."""
    from ..files import target_of, unused_name

    used: set[str] = set()
    for attachment in entry.attachments:
        name = unused_name(target_of(attachment, directory).name, used)
        used.add(name.lower())
        yield client.save_file(attachment, directory / name)


def _write_change(change: Change, as_json: bool) -> None:
    if as_json:
        shown = None if change.entry is None else change.entry.model_dump(mode="json")
        write_json({"kind": change.kind, "position": change.position, "entry": shown})
    elif change.entry is None:
        write(printable(change.kind))
    else:
        write(f"{printable(change.kind)}\t{line_of(change.entry)}")
    sys.stdout.flush()


def _conditions(
    client: Client,
    query: Optional[List[str]],
    logbooks: List[str],
    tags: List[str],
    levels: List[str],
    owners: List[str],
    start: Optional[str],
    end: Optional[str],
) -> dict[str, Any]:
    words = " ".join(query or [])
    if not words:
        box: dict[str, Any] = {}
    elif client.capabilities().streams_changes:
        box = {"query": words}
    else:
        box = read_box(words)
    given = {
        "logbooks": logbooks,
        "tags": tags,
        "level": levels,
        "owner": owners,
        "start": start,
        "end": end,
    }
    for key, value in given.items():
        if value:
            box[key] = [*box.get(key, []), *value] if isinstance(value, list) else value
    return box
