"""Entries as HTML and Markdown, for notebooks."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

    from .entry import Entry

#: The size that the markup of entries gives to an image.
_IMAGE_SIZE = re.compile(r"\{\s*((?:(?:width|height)\s*=\s*\d+(?:\.\d+)?(?:px|%)?\s*)+)\}")
_SCHEME = re.compile(r"(?<![a-z])(?:https?|ftp)$", re.IGNORECASE)
#: The rest of an address, without punctuation after it. Parentheses in it are in pairs.
_REST = re.compile(r"://(?:[^\s<>\"|()]|\([^\s<>\"|()]*\))*(?:[^\s<>\"|().,;:!?'\]*]|\([^\s<>\"|()]*\))")
_STYLE = (
    "border:1px solid color-mix(in srgb, currentColor 25%, transparent);border-radius:6px;padding:.6em 1em;"
    "max-width:60em"
)


def to_html(entry: Entry, base_url: str) -> str:
    """The entry as it looks in the logbook. HTML in its text is shown, and never runs."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    markdown.inline.ruler.after("text", "bare_link", _bare_link)
    body = markdown.render(_with_addresses(entry.text, base_url))
    body = re.sub(r"(<img [^>]*?) ?/?>" + _IMAGE_SIZE.pattern, r"\1 \2>", body)
    facts = " · ".join(escape(fact) for fact in _facts(entry))
    files = "".join(
        f'<li><a href="{escape(address)}">{escape(name)}</a></li>' for name, address in _files(entry, base_url)
    )
    listed = f"<ul>{files}</ul>" if files else ""
    heading = f'<a href="{escape(entry.url)}">{escape(entry.title)}</a>'
    return f'<article style="{_STYLE}"><h3>{heading}</h3><p><small>{facts}</small></p>{body}{listed}</article>'


def _bare_link(state: StateInline, silent: bool) -> bool:
    """Reads an address in a text as a link, at its first colon. CommonMark itself does not do this."""
    found = _REST.match(state.src, state.pos)
    # No scheme has more characters.
    start = max(0, len(state.pending) - 6)
    scheme = None if found is None else _SCHEME.search(state.pending, start)
    if scheme is None or found is None or getattr(state, "linkLevel", 0) > 0:
        return False
    if not silent:
        address = scheme[0] + found[0]
        state.pending = state.pending[: scheme.start()]
        state.push("link_open", "a", 1).attrs = {"href": state.md.normalizeLink(address)}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def to_markdown(entry: Entry, base_url: str) -> str:
    """The entry as Markdown, with its facts before its text and its files after it."""
    title = re.sub(r"([\\`*_\[\]<>])", r"\\\1", entry.title)
    files = "".join(f"\n- [{_escaped(name)}](<{address}>)" for name, address in _files(entry, base_url))
    text = _IMAGE_SIZE.sub("", _with_addresses(entry.text, base_url))
    return f"### [{title}]({entry.url})\n\n{_escaped(' · '.join(_facts(entry)))}\n\n{text}\n{files}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)


def _facts(entry: Entry) -> list[str]:
    edited = [] if entry.edited is None else [f"edited {entry.edited.astimezone():%Y-%m-%d %H:%M}"]
    return [
        f"#{entry.id}",
        f"{entry.created.astimezone():%Y-%m-%d %H:%M}",
        entry.owner,
        entry.level,
        ", ".join(entry.logbook_names),
        *(f"#{name}" for name in entry.tag_names),
        *edited,
    ]


def _files(entry: Entry, base_url: str) -> list[tuple[str, str]]:
    """Names and addresses of the files that the text does not show."""
    hidden = [one for one in entry.attachments if f"attachment/{one.id}" not in entry.text]
    return [(one.filename, f"{base_url}/attachment/{quote(one.id, safe='')}") for one in hidden]


def _with_addresses(text: str, base_url: str) -> str:
    """Makes the addresses of attachments absolute. In a text, they are relative to the root path of the service."""
    return re.sub(r"\]\(attachment/", f"]({base_url}/attachment/", text)
