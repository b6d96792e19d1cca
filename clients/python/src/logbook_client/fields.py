"""Contents of new entries and of edits, and their form in the interface."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Iterable, Literal, Mapping, Optional, Union

from typing_extensions import TypedDict

from .entry import Entry
from .files import Attachable, File, to_files

#: One name, or several.
Names = Union[str, Iterable[str]]
#: Values of attributes by the name of the property, and by that of the attribute.
Properties = Mapping[str, Mapping[str, Union[str, int, float, bool, None]]]
Markup = Literal["commonmark", "none"]


class NewEntry(TypedDict, total=False):
    """Fields of a new entry in addition to its title and its text."""

    logbooks: Names
    tags: Names
    level: str
    properties: Properties
    #: Times of past events by their names.
    events: Mapping[str, datetime]
    files: Iterable[Attachable]
    #: The entry, or its id, that the new one replies to.
    reply_to: Union[Entry, int]
    markup: Markup
    #: Whether live clients are notified immediately.
    notify: bool


class Edit(TypedDict, total=False):
    """Changes of an entry. A field that is left out stays as it is."""

    title: str
    text: str
    logbooks: Names
    tags: Names
    add_tags: Names
    remove_tags: Names
    level: str
    #: Replaces properties of the same name; the others stay.
    properties: Properties
    #: Files to add.
    files: Iterable[Attachable]
    markup: Markup
    notify: bool


def to_creation(title: str, text: str, fields: NewEntry) -> tuple[dict[str, Any], list[tuple[str, str]], list[File]]:
    """Body, parameters and files of the request that creates an entry."""
    _reject_unknown(fields, NewEntry)
    logbooks = to_names(fields.get("logbooks", ()))
    if not title.strip():
        raise ValueError("An entry needs a title.")
    if not logbooks:
        raise ValueError("An entry is in at least one logbook: give logbooks=…")
    files = to_files(fields.get("files", ()))
    # Services of the Olog family read either the source or the description. All of them store a text that is in both.
    body: dict[str, Any] = {"title": title, "source": text, "description": text, "logbooks": _references(logbooks)}
    if fields.get("level"):
        body["level"] = fields["level"]
    body["tags"] = _references(to_names(fields.get("tags", ())))
    body["properties"] = to_properties(fields.get("properties", {}))
    if fields.get("events"):
        body["events"] = [{"name": name, "instant": to_ms(at)} for name, at in fields["events"].items()]
    if files:
        body["attachments"] = [_attachment(file) for file in files]
    query = _query(fields)
    reply_to = fields.get("reply_to")
    if reply_to is not None:
        query.append(("inReplyTo", str(id_of(reply_to))))
    return body, query, files


def to_update(entry: Entry, fields: Edit) -> tuple[dict[str, Any], list[tuple[str, str]], list[File]]:
    """Body, parameters and files of the request that replaces this version of an entry."""
    _reject_unknown(fields, Edit)
    text = fields.get("text", entry.text)
    tags = to_names(fields.get("tags", entry.tag_names)) + to_names(fields.get("add_tags", ()))
    removed = set(to_names(fields.get("remove_tags", ())))
    files = to_files(fields.get("files", ()))
    given = fields.get("properties", {})
    kept = {one.name: {each.name: each.value for each in one.attributes} for one in entry.properties}
    body: dict[str, Any] = {
        "id": entry.id,
        "title": fields.get("title", entry.title),
        "source": text,
        "description": text,
        "level": fields.get("level", entry.level),
        "logbooks": _references(to_names(fields.get("logbooks", entry.logbook_names))),
        "tags": _references([name for name in dict.fromkeys(tags) if name not in removed]),
        "properties": to_properties({**kept, **given}),
    }
    if files:
        taken = {one.filename.lower() for one in entry.attachments}
        for file in files:
            if file.filename.lower() in taken:
                raise ValueError(
                    f"Entry {entry.id} has a file {file.filename!r} already. Give the new one another name."
                )
        present = [{"id": one.id, "filename": one.filename} for one in entry.attachments]
        body["attachments"] = [*present, *map(_attachment, files)]
    return body, _query(fields), files


def to_names(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def to_properties(properties: Properties) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "attributes": [{"name": key, "value": _to_text(value)} for key, value in attributes.items()],
        }
        for name, attributes in properties.items()
    ]


def to_ms(at: datetime) -> int:
    return round(at.timestamp() * 1_000)


def id_of(entry: Union[Entry, int]) -> int:
    return entry.id if isinstance(entry, Entry) else int(entry)


def _query(fields: Union[NewEntry, Edit]) -> list[tuple[str, str]]:
    query: list[tuple[str, str]] = [("markup", fields.get("markup", "commonmark"))]
    if not fields.get("notify", True):
        query.append(("notifyWsClients", "false"))
    return query


def _references(names: Iterable[str]) -> list[dict[str, str]]:
    return [{"name": name} for name in names]


def _attachment(file: File) -> dict[str, Optional[str]]:
    described = {"fileMetadataDescription": file.description} if file.description else {}
    return {"id": file.id, "filename": file.filename, **described}


def _to_text(value: Union[str, int, float, bool, None]) -> Optional[str]:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _reject_unknown(fields: Mapping[str, object], kind: Any) -> None:
    unknown = [name for name in fields if name not in kind.__annotations__]
    if unknown:
        raise TypeError(f"Unknown field {unknown[0]!r}; the fields are {', '.join(kind.__annotations__)}.")


def reply_title(parent: Entry) -> str:
    return parent.title if parent.title.lower().startswith("re: ") else f"Re: {parent.title}"
