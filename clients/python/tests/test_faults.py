"""Answers that are not those of a logbook, disks that take nothing, and processes that were forked."""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from email.utils import formatdate
from pathlib import Path
from typing import Callable

import httpx
import pytest
from conftest import QUICK, USER
from cutting_proxy import CuttingProxy
from logbook_client import (
    Client,
    LogbookError,
    OutcomeUnknown,
    Refused,
    Retries,
    SpoolFailed,
    UnexpectedAnswer,
    Unreachable,
)
from logbook_client.calls import _requested_pause
from logbook_client.durable import FileLock
from logbook_service import LogbookService
from odd_service import OddService

JSON = {"Content-Type": "application/json"}
ODD = {
    "a page": ({"Content-Type": "text/html"}, b"<html>Sign in</html>"),
    "nothing": ({}, b""),
    "half of an answer": (JSON, b'{"id": 1, "title": "t'),
    "another object": (JSON, b'{"version": "1", "searchIndex": {}}'),
    "a text": (JSON, b'"text"'),
    "a number": (JSON, b"1"),
    "a list of numbers": (JSON, b"[1]"),
    "entries without ids": (JSON, b'{"version": "1", "searchIndex": {}, "logs": [{"title": "t"}]}'),
    "a deep list": (JSON, b"[" * 200_000),
    "no UTF-8": (JSON, b'{"title": "\xff"}'),
    "no gzip": ({**JSON, "Content-Encoding": "gzip"}, b"{}"),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_answer_is_an_error_of_the_client_and_spooled_entries_wait(kind: str, tmp_path: Path) -> None:
    headers, body = ODD[kind]
    with OddService(200, headers, body) as odd:
        with Client(odd.url, **USER, retries=Retries(0), spool_directory=tmp_path) as client:
            attempts: list[Callable[[], object]] = [
                lambda: client.get(1),
                lambda: client.versions(1),
                lambda: client.post("t", "x", logbooks="operations"),
                lambda: client.edit(1, title="t"),
                lambda: client.catalogue(),
                lambda: list(client.search(title="t")),
                lambda: next(iter(client.follow())),
            ]
            for attempt in attempts:
                with pytest.raises(LogbookError):
                    attempt()
            client.spool.add("waits", "x", {"logbooks": "operations"})
            report = client.spool.send()
            assert report.waiting == 1 and isinstance(report.problem, LogbookError)
            assert client.spool.list("refused") == []


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_credentials_are_not_sent_to_another_host(status: int, tmp_path: Path) -> None:
    with OddService(200, JSON, b"{}") as other, OddService(status, {"Location": other.url}, b"") as odd:
        with Client(odd.url, **USER, retries=QUICK, spool_directory=tmp_path) as client:
            with pytest.raises(Refused, match="redirects to"):
                client.post("t", "x", logbooks="operations")
            # A page for maintenance says nothing about an entry, however often it comes.
            client.spool.add("waits", "x", {"logbooks": "operations"})
            for _ in range(25):
                assert client.spool.send().waiting == 1
        assert odd.requests and other.requests == []


def test_a_stream_that_is_none_is_named() -> None:
    with OddService(200, JSON, b'{"version": "1", "searchIndex": {}}') as odd:
        with Client(odd.url, **USER, retries=QUICK) as client, pytest.raises(UnexpectedAnswer, match="/changes"):
            next(iter(client.follow()))


def test_a_write_whose_answers_are_all_lost_may_be_stored(
    logbook_service: LogbookService, proxy: CuttingProxy
) -> None:
    with Client(proxy.url, **USER, retries=Retries(2, 0.05)) as client:
        proxy.lost_answers = 1_000
        with pytest.raises(OutcomeUnknown, match="Look for the entry"):
            client.post("All lost", "x", logbooks="operations")
    with Client(logbook_service.url, **USER) as client:
        assert len(list(client.search(title="All lost"))) == 1


def test_a_file_is_saved_after_a_lost_answer_and_nothing_is_left_of_a_failure(
    proxy: CuttingProxy, tmp_path: Path
) -> None:
    with Client(proxy.url, **USER, retries=QUICK) as client:
        entry = client.post("Saved", "x", logbooks="operations", files=[("a.txt", b"content")])
        proxy.lost_answers = 1
        assert client.save_file(entry.attachments[0], tmp_path).read_bytes() == b"content"
    (tmp_path / "a.txt").write_text("before")
    with Client("http://127.0.0.1:9/logbook", **USER, retries=QUICK) as client, pytest.raises(Unreachable):
        client.save_file(entry.attachments[0], tmp_path)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir() if one.is_file()] == [("a.txt", "before")]


def test_an_entry_that_the_disk_does_not_take_leaves_nothing(logbook_service: LogbookService, tmp_path: Path) -> None:
    with Client(logbook_service.url, **USER, spool_directory=tmp_path) as client:
        fields = {"logbooks": "operations", "files": [("large.bin", b"\0" * 1_000_000)]}
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(SpoolFailed, match="cannot be stored in the spool"):
                client.spool.add("full", "x", fields)  # type: ignore[arg-type]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert list((tmp_path / "incoming").iterdir()) == client.spool.list("waiting") == []
        client.spool.add("full", "x", fields)  # type: ignore[arg-type]
        assert client.spool.send().waiting == 0


def test_a_spool_that_cannot_be_used_is_a_problem_and_loses_nothing(
    logbook_service: LogbookService, tmp_path: Path
) -> None:
    with Client(logbook_service.url, **USER, spool_directory=tmp_path) as client:
        item = client.spool.add("stored", "x", {"logbooks": "operations"})
        (tmp_path / "send.lock").mkdir()
        report = client.spool.send()
        assert report.waiting == 1 and isinstance(report.problem, SpoolFailed)
        (tmp_path / "send.lock").rmdir()
        assert list(client.spool.send().sent) == [item.name]


def test_an_entry_whose_attachment_is_gone_does_not_hold_up_the_others(
    logbook_service: LogbookService, tmp_path: Path
) -> None:
    with Client(logbook_service.url, **USER, spool_directory=tmp_path) as client:
        damaged = client.spool.add("damaged", "x", {"logbooks": "operations", "files": [("a.txt", b"a")]})
        (tmp_path / "waiting" / damaged.name / "0").unlink()
        (tmp_path / "waiting" / "Thumbs.db").touch()
        after = client.spool.add("after", "x", {"logbooks": "operations"})
        report = client.spool.send()
        assert list(report.sent) == [after.name] and report.waiting == 0
        assert damaged.state == "refused" and "a.txt" in (damaged.refusal or "")


def test_texts_that_are_not_unicode_are_sent(logbook_service: LogbookService, tmp_path: Path) -> None:
    name = os.fsdecode(b"messung-\xe4.txt")
    with Client(logbook_service.url, **USER, spool_directory=tmp_path) as client:
        fields = {"logbooks": "operations", "files": [(name, b"a")]}
        client.spool.add("Half \udce4", "x", fields)  # type: ignore[arg-type]
        (entry,) = client.spool.send().sent.values()
        assert (entry.title, entry.attachments[0].filename) == ("Half ?", "messung-?.txt")
        assert client.post("Half \udce4", "x", logbooks="operations", files=[(name, b"a")]).title == "Half ?"


def test_a_lock_is_free_after_its_release_although_a_process_was_forked(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    assert lock.acquire()
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    try:
        lock.release()
        other = FileLock(tmp_path / "lock")
        assert other.acquire(blocking=False)
        other.release()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_token_is_never_part_of_a_message(logbook_service: LogbookService) -> None:
    for token in ("logbook_secret\nlogbook_other", "logbook_secret\x00", "logbook_secreté"):
        with pytest.raises(ValueError, match="Copy it again") as error:
            Client(logbook_service.url, token=token)
        assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["http://host:99999/x", "http://host:port/x", "http://[::1/x"])
def test_an_address_that_cannot_be_is_named(url: str) -> None:
    with pytest.raises(ValueError, match="is not the address of a logbook"):
        Client(url)


def test_a_pause_that_is_no_number_is_ignored(tmp_path: Path) -> None:
    with OddService(503, {"Retry-After": "\xb2", **JSON}, json.dumps({"message": "busy"}).encode()) as odd:
        with Client(odd.url, **USER, retries=Retries(1, 0.05)) as client, pytest.raises(Unreachable, match="busy"):
            client.get(1)


@pytest.mark.parametrize(
    "asked_for, seconds",
    [("0.5", 0.0), ("2", 2.0), ("0", 0.0), ("9" * 400, 30.0), ("soon", 0.0), ("Sun, 08 Mar 2026 03:12:00 GMT", 0.0)],
)
def test_a_pause_is_bounded(asked_for: str, seconds: float) -> None:
    answer = httpx.Response(503, headers={"Retry-After": asked_for})
    assert _requested_pause(answer, Retries(1, 10)) == seconds


def test_a_pause_may_end_at_a_date() -> None:
    answer = httpx.Response(503, headers={"Retry-After": formatdate(time.time() + 3_600, usegmt=True)})
    assert _requested_pause(answer, Retries(1, 10)) == 30
