"""Commands that write entries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Optional

import typer

from .output import complain, write, write_json, write_result
from .program import JSON, LOGBOOKS, REFUSED, SIGN_IN_FAILED, TAGS, UsageProblem, app, connect
from .spooling import report_spool
from .texts import edit_text, forget_texts, read_text

if TYPE_CHECKING:
    from ..client import Client
    from ..spooled import SpooledEntry

TEXT = typer.Argument(None, help="The text, with markup; `-` reads it from the standard input.")
LEVEL = typer.Option(None, "--level", "-L", help="Level.")
PROPERTIES = typer.Option([], "--property", "-p", help="NAME.ATTRIBUTE=VALUE; can be repeated.")
FILES = typer.Option([], "--attach", "-a", help="File to attach; can be repeated.")
EDITOR = typer.Option(False, "--editor", "-e", help="Write the text in your editor.")
CLIPBOARD = typer.Option(False, "--clipboard", "-c", help="Take the text from the clipboard.")
PLAIN = typer.Option(False, "--plain", help="The text has no markup.")
DIRECT = typer.Option(False, "--no-spool", help="Fail when the service is unreachable, and do not keep the entry.")

#: Maximum time in seconds in which an entry is sent before it waits on this computer.
_MAX_SECONDS = 10.0


@app.command()
def post(
    title: str = typer.Argument(..., help="The title."),
    text: Optional[str] = TEXT,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: Optional[str] = LEVEL,
    prop: List[str] = PROPERTIES,
    attach: List[str] = FILES,
    editor: bool = EDITOR,
    clipboard: bool = CLIPBOARD,
    plain: bool = PLAIN,
    no_spool: bool = DIRECT,
    as_json: bool = JSON,
) -> None:
    """Create an entry. While the service is unreachable, the entry waits on this computer."""
    fields = _fields(logbook or _default_logbooks(), tag, level, prop, attach, plain)
    _create(title, read_text(text, editor, clipboard), fields, no_spool, as_json)


@app.command()
def reply(
    entry_id: int = typer.Argument(..., help="Id of the entry to reply to."),
    text: Optional[str] = TEXT,
    title: Optional[str] = typer.Option(None, help="Title; by default that of the entry, after “Re:”."),
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: Optional[str] = LEVEL,
    prop: List[str] = PROPERTIES,
    attach: List[str] = FILES,
    editor: bool = EDITOR,
    clipboard: bool = CLIPBOARD,
    plain: bool = PLAIN,
    no_spool: bool = DIRECT,
    as_json: bool = JSON,
) -> None:
    """Reply to an entry, in its logbooks unless others are given. With --title and --logbook, it can wait as well."""
    names: List[str] = logbook
    if not (title and names):
        from ..fields import reply_title

        with connect() as client:
            parent = client.get(entry_id)
        title, names = title or reply_title(parent), names or parent.logbook_names
    fields = {**_fields(names, tag, level, prop, attach, plain), "reply_to": entry_id}
    _create(title, read_text(text, editor, clipboard), fields, no_spool, as_json)


@app.command()
def edit(
    entry_id: int = typer.Argument(..., help="Id of the entry."),
    text: Optional[str] = TEXT,
    title: Optional[str] = typer.Option(None, help="New title."),
    logbook: List[str] = typer.Option([], "--logbook", "-l", help="Logbook, in place of the present ones."),
    add_tag: List[str] = typer.Option([], help="Tag to add."),
    remove_tag: List[str] = typer.Option([], help="Tag to remove."),
    level: Optional[str] = LEVEL,
    prop: List[str] = PROPERTIES,
    editor: bool = typer.Option(False, "--editor", "-e", help="Change the text in your editor."),
    clipboard: bool = CLIPBOARD,
    as_json: bool = JSON,
) -> None:
    """Change an entry; its previous version is kept.

    Exits with 6 if the entry is edited or grows while your editor is open.
    """
    changes: dict[str, Any] = {"title": title, "level": level}
    lists = {"logbooks": logbook, "add_tags": add_tag, "remove_tags": remove_tag, "properties": _properties(prop)}
    changes.update((name, value) for name, value in lists.items() if value)
    with connect() as client:
        entry: Any = entry_id
        if editor:
            entry = client.get(entry_id)
            changes["text"] = edit_text(entry.text)
        elif text is not None or clipboard:
            changes["text"] = read_text(text, False, clipboard)
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            raise UsageProblem("Nothing to change: give a text, --editor, --title, --add-tag or another option.")
        changed = client.edit(entry, **given)
    forget_texts()
    write_result(changed, as_json)


@app.command()
def attach(
    entry_id: int = typer.Argument(..., help="Id of the entry."),
    files: List[str] = typer.Argument(..., help="Files to add."),
    as_json: bool = JSON,
) -> None:
    """Add files to an entry."""
    with connect() as client:
        write_result(client.attach(entry_id, *files), as_json)


def _create(title: str, text: str, fields: dict[str, Any], no_spool: bool, as_json: bool) -> None:
    from ..errors import SignInFailed

    with connect() as client:
        item = None if no_spool else _store(client, title, text, fields)
        if item is None:
            entry = client.post(title, text, **fields)
            forget_texts()
            write_result(entry, as_json)
            return
        forget_texts()
        report = client.spool.send(wait_seconds=_MAX_SECONDS, max_seconds=_MAX_SECONDS)
    report_spool(report)
    if item.name in report.sent:
        write_result(report.sent[item.name], as_json)
    elif item.state == "refused":
        raise typer.Exit(REFUSED)
    elif item.entry_id is not None:
        # Another process has sent it.
        if as_json:
            write_json({"id": item.entry_id})
        else:
            write(str(item.entry_id))
    else:
        if as_json:
            write_json({"id": None, "spooled": item.name})
        if isinstance(report.problem, SignInFailed):
            # Unlike an unreachable service, wrong credentials do not recover.
            raise typer.Exit(SIGN_IN_FAILED)


def _store(client: Client, title: str, text: str, fields: dict[str, Any]) -> Optional[SpooledEntry]:
    """Stores an entry in the spool; None if the disk does not take it."""
    from ..errors import SpoolFailed

    try:
        return client.spool.add(title, text, fields)  # type: ignore[arg-type]
    except SpoolFailed as error:
        complain(f"{error}. The entry is sent without being stored on this computer first.")
        return None


def _fields(
    logbooks: List[str], tags: List[str], level: Optional[str], properties: List[str], files: List[str], plain: bool
) -> dict[str, Any]:
    if not logbooks:
        raise UsageProblem("Give a logbook with --logbook, or LOGBOOK_LOGBOOKS in the environment.")
    fields: dict[str, Any] = {"logbooks": logbooks, "tags": tags, "properties": _properties(properties), "files": files}
    if level:
        fields["level"] = level
    if plain:
        fields["markup"] = "none"
    return fields


def _default_logbooks() -> List[str]:
    return [name.strip() for name in os.environ.get("LOGBOOK_LOGBOOKS", "").split(",") if name.strip()]


def _properties(given: List[str]) -> dict[str, dict[str, str]]:
    properties: dict[str, dict[str, str]] = {}
    for one in given:
        name, equals, value = one.partition("=")
        property_name, dot, attribute = name.partition(".")
        if not (equals and dot and property_name and attribute):
            raise UsageProblem(f"Write a property as NAME.ATTRIBUTE=VALUE, not {one!r}.")
        properties.setdefault(property_name, {})[attribute] = value
    return properties
