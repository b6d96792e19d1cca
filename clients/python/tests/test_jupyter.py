"""Entries in notebooks."""

from __future__ import annotations

import pytest
from conftest import USER
from logbook_client import Client
from logbook_service import LogbookService


def test_an_entry_looks_as_in_the_logbook(logbook_service: LogbookService) -> None:
    text = "Lost **twice**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![x](attachment/pic-1){width=60 height=40}\n\n<script>no()</script>"
    with Client(logbook_service.url, **USER) as client:
        from logbook_client import File

        picture = File("pic.png", b"\x89PNG\r\n\x1a\n", id="pic-1")
        entry = client.post(
            "Beam <lost>", text, logbooks="operations", tags="alarm", files=[picture, ("a & b.txt", b"a")]
        )
    html = entry._repr_html_()
    assert "<strong>twice</strong>" in html and "<td>1</td>" in html
    assert f'<img src="{logbook_service.url}/attachment/pic-1" alt="x" width=60 height=40>' in html
    assert "<script>" not in html and "Beam &lt;lost&gt;" in html and "#alarm" in html
    assert "a &amp; b.txt" in html and "pic.png" not in html
    markdown = entry._repr_markdown_()
    assert f"![x]({logbook_service.url}/attachment/pic-1)" in markdown and r"Beam \<lost\>" in markdown


def test_lines_strokes_and_addresses_look_as_in_the_logbook(logbook_service: LogbookService) -> None:
    text = "first\nsecond ~~kept~~, see https://example.org/a_b?c=1&d=_x_ (or http://example.org/b).\n\n`https://x.org`"
    with Client(logbook_service.url, **USER) as client:
        html = client.post("Lines", text, logbooks="operations")._repr_html_()
    assert "first<br />\nsecond ~~kept~~, see " in html
    assert '<a href="https://example.org/a_b?c=1&amp;d=_x_">https://example.org/a_b?c=1&amp;d=_x_</a> (or ' in html
    assert '<a href="http://example.org/b">http://example.org/b</a>).' in html and "<code>https://x.org</code>" in html


def test_the_magic_posts_a_cell(logbook_service: LogbookService, monkeypatch: pytest.MonkeyPatch) -> None:
    UsageError = pytest.importorskip("IPython.core.error", reason="IPython could not be installed").UsageError
    testing = pytest.importorskip("IPython.testing.globalipapp", reason="IPython could not be installed")
    monkeypatch.setenv("LOGBOOK_URL", logbook_service.url)
    monkeypatch.setenv("LOGBOOK_USER", "user")
    monkeypatch.setenv("LOGBOOK_PASSWORD", "userPass")
    shell = testing.start_ipython()
    shell.run_line_magic("load_ext", "logbook_client")
    shell.user_ns["notes"] = ("notes.txt", b"a variable of the notebook")
    entry = shell.run_cell_magic("logbook", '"From a notebook" -l operations -t alarm -a notes', "It **works**.\n")
    assert (entry.title, entry.text, entry.tag_names) == ("From a notebook", "It **works**.\n", ["alarm"])
    assert entry.attachments[0].filename == "notes.txt"
    reply = shell.run_cell_magic("logbook", f"--reply-to {entry.id}", "Yes.\n")
    assert reply.title == "Re: From a notebook"
    problems = {
        "-l operations": "Give the entry a title",
        '"No such logbook" -l no-such': "no-such",
        "Title -l operations -a missing.txt": "missing.txt",
        "--no-such-option": "no-such-option",
        "'unclosed": "quotation",
    }
    for line, problem in problems.items():
        with pytest.raises(UsageError, match=problem):
            shell.run_cell_magic("logbook", line, "x")
