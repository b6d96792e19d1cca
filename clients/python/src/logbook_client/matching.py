"""Comparison of entries with those that were sent, for services that do not know keys."""

from __future__ import annotations

from typing import Any, Optional

from .entry import Entry


def is_stored_as(body: dict[str, Any], entry: Entry) -> bool:
    """Whether an entry has everything that was sent. The service may add a level, properties and attributes."""
    stored = entry.model_dump()
    return (
        (body["title"], body["source"]) == (entry.title, entry.source)
        and body.get("level") in (None, entry.level)
        and _names(body["logbooks"]) == _names(stored["logbooks"])
        and _names(body["tags"]) == _names(stored["tags"])
        and _names(body["properties"]) <= _names(stored["properties"])
        and _values(body["properties"]) <= _values(stored["properties"])
        and _has_files(entry, body.get("attachments", []))
    )


def _has_files(entry: Entry, sent: list[dict[str, Any]]) -> bool:
    """Whether an entry has the files that were sent. A service may give a file another id or another name."""
    known = {value for file in entry.attachments for value in (file.id, file.filename)}
    return all(one["id"] in known or one["filename"] in known for one in sent)


def _names(references: list[dict[str, Any]]) -> set[str]:
    return {one["name"] for one in references}


def _values(properties: list[dict[str, Any]]) -> set[tuple[str, str, Optional[str]]]:
    return {(one["name"], each["name"], each["value"]) for one in properties for each in one["attributes"]}
