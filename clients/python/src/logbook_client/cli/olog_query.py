"""The search box for services of the Olog family, which have a parameter for each filter, and no box."""

from __future__ import annotations

import re
from typing import Any

from .program import UsageProblem

#: Conditions by the keys of the box. Keys also have a plural.
_LISTS = {"owner": "owner", "tag": "tags", "logbook": "logbooks", "level": "level", "property": "properties"}
_TEXTS = {**{key: key for key in ("title", "text", "phrase", "start", "end")}, "attachment": "attachments"}
_CONDITIONS = {**_LISTS, **_TEXTS, "properties": "properties"}
_FLAG = re.compile(r"(has:attachment|is:(reply|edited|automatic|running|done|failed|abandoned))$")


def read_box(box: str) -> dict[str, Any]:
    """Conditions of a search. Raises `UsageProblem` for a part that the service cannot search for."""
    conditions: dict[str, Any] = {}
    for part in re.findall(r'(?:[^\s"]|"[^"]*"?)+', box):
        key, equals, value = part.partition("=")
        name = _CONDITIONS.get(key) or _CONDITIONS.get(key[:-1] if key.endswith("s") else key)
        if equals and name is not None:
            if name in _LISTS.values():
                values = [one.replace('"', "") for one in re.findall(r'(?:[^,"]|"[^"]*"?)+', value)]
                conditions[name] = [*conditions.get(name, []), *values]
            else:
                _add_words(conditions, name, value.replace('"', ""))
        elif _FLAG.match(part) or re.match(r"[a-z]+=|-[^-\d]", part):
            keys = ", ".join(f"{key}=" for key in [*_LISTS, *_TEXTS])
            raise UsageProblem(f"This service cannot search for {part}. It knows words, and the filters {keys}.")
        else:
            _add_words(conditions, "text", part)
    return conditions


def _add_words(conditions: dict[str, Any], name: str, words: str) -> None:
    conditions[name] = f"{conditions[name]} {words}" if name in conditions else words
