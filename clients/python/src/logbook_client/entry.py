"""Entries as users see them: the generated model with times, names and a display for notebooks."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Mapping, Optional

from pydantic import PrivateAttr

from . import models


class Entry(models.Entry):
    """A log entry. Fields have the names of the interface; the properties are shortcuts."""

    _base_url: str = PrivateAttr("")

    @property
    def text(self) -> str:
        """The text with its markup."""
        return self.source or self.description

    @property
    def created(self) -> datetime:
        """Time of creation, in UTC."""
        return _to_datetime(self.createdDate)

    @property
    def edited(self) -> Optional[datetime]:
        """Time of the last edit, in UTC; None if it was never edited."""
        return None if self.modifyDate is None else _to_datetime(self.modifyDate)

    @property
    def url(self) -> str:
        """Address of the entry; a browser shows its page."""
        return f"{self._base_url}/logs/{self.id}"

    @property
    def logbook_names(self) -> list[str]:
        return [logbook.name for logbook in self.logbooks]

    @property
    def tag_names(self) -> list[str]:
        return [tag.name for tag in self.tags]

    @property
    def thread_id(self) -> Optional[str]:
        """Id that an entry shares with its replies; None if it has none."""
        for one in self.properties:
            if one.name == "Log Entry Group":
                return next((attribute.value for attribute in one.attributes if attribute.name == "id"), None)
        return None

    def __str__(self) -> str:
        return f"{self.id}  {self.created.astimezone():%Y-%m-%d %H:%M}  {self.owner}  {self.title}"

    def _repr_html_(self) -> str:
        from .rendering import to_html

        return to_html(self, self._base_url)

    def _repr_markdown_(self) -> str:
        from .rendering import to_markdown

        return to_markdown(self, self._base_url)


def read_entry(data: Mapping[str, Any], base_url: str) -> Entry:
    """Reads an entry of the interface. Olog services omit fields, and send null for fields that must not be null."""
    entry = Entry.model_validate(_completed(data))
    entry._base_url = base_url
    return entry


def _completed(data: Mapping[str, Any]) -> dict[str, Any]:
    texts = {name: data.get(name) or "" for name in ("owner", "source", "description", "title", "level")}
    return {
        **data,
        **texts,
        "state": data.get("state") or "Active",
        "createdDate": data.get("createdDate") or 0,
        "modifyDate": data.get("modifyDate"),
        "modifiedBy": data.get("modifiedBy"),
        "version": data.get("version") or (1 if data.get("modifyDate") is None else 2),
        "logbooks": [_with(one, owner="", state="Active") for one in data.get("logbooks") or []],
        "tags": [_with(one, state="Active") for one in data.get("tags") or []],
        "properties": [_completed_property(one) for one in data.get("properties") or []],
        "events": data.get("events") or [],
        "attachments": [
            _with(one, fileMetadataDescription="", size=0, contentType="", checksum="")
            for one in data.get("attachments") or []
        ],
    }


def _completed_property(data: Mapping[str, Any]) -> dict[str, Any]:
    attributes = [_with(one, value=None, state="Active") for one in data.get("attributes") or []]
    return {**_with(data, owner="", state="Active"), "attributes": attributes}


def _with(data: Mapping[str, Any], **defaults: Any) -> dict[str, Any]:
    given = {name: value for name, value in data.items() if value is not None}
    return {**defaults, **given}


def _to_datetime(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1_000, timezone.utc)
