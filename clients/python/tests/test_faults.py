"""Answers that are not those of a logbook, disks that take nothing, and processes that were forked."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from email.utils import formatdate
from itertools import islice
from pathlib import Path
from typing import Callable, Iterator

import httpx
import pytest
from conftest import QUICK, USER
from cutting_proxy import CuttingProxy
from logbook_client import (
    AsyncClient,
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


@pytest.mark.parametrize("status", [400, 403, 409, 410, 421, 422, 451])
@pytest.mark.parametrize("body", [b"<html>Access denied</html>", b'{"message": "Forbidden"}', b""])
def test_entries_wait_while_a_proxy_refuses_them(status: int, body: bytes, tmp_path: Path) -> None:
    with OddService(status, {}, body) as odd:
        with Client(odd.url, **USER, retries=Retries(0), spool_directory=tmp_path) as client:
            for number in range(2):
                client.spool.add(f"waits {number}", "x", {"logbooks": "operations"})
            for _ in range(25):
                report = client.spool.send()
                assert (report.waiting, report.refused) == (2, [])
            assert "not from the logbook" in str(report.problem) and str(status) in str(report.problem)


@pytest.mark.parametrize(
    "body", [{"code": "entry.unknown"}, {"timestamp": "2026-01-01T00:00:00Z", "status": 403, "error": "Forbidden"}]
)
def test_an_entry_that_the_logbook_refuses_is_set_aside(body: dict[str, object], tmp_path: Path) -> None:
    with OddService(403, JSON, json.dumps(body).encode()) as odd:
        with Client(odd.url, **USER, retries=Retries(0), spool_directory=tmp_path) as client:
            client.spool.add("refused", "x", {"logbooks": "operations"})
            assert len(client.spool.send().refused) == 1


def test_an_entry_that_is_too_large_for_a_proxy_is_set_aside(tmp_path: Path) -> None:
    with OddService(413, {}, b"<html>Request Entity Too Large</html>") as odd:
        with Client(odd.url, **USER, retries=Retries(0), spool_directory=tmp_path) as client:
            client.spool.add("too large", "x", {"logbooks": "operations"})
            assert len(client.spool.send().refused) == 1


def test_an_answer_that_is_not_a_stream_is_named() -> None:
    with OddService(200, JSON, b'{"version": "1", "searchIndex": {}}') as odd:
        with Client(odd.url, **USER, retries=QUICK) as client, pytest.raises(UnexpectedAnswer, match="/changes"):
            next(iter(client.follow()))


def test_a_stream_that_cannot_be_decoded_is_logged_and_requested_again(caplog: pytest.LogCaptureFixture) -> None:
    async def follow(url: str) -> list[str]:
        async with AsyncClient(url, **USER, retries=QUICK) as client:
            received: list[str] = []
            async for change in client.follow():
                received.append(change.position)
                if len(received) == 2:
                    break
        return received

    events = {"Content-Type": "text/event-stream"}
    broken = ({**events, "Content-Encoding": "gzip"}, b"no gzip")
    first, second = ((events, b"id: %d\nevent: damaged\ndata: {}\n\n" % number) for number in (1, 2))
    with OddService(200, JSON, b'{"version": "1", "searchIndex": {}}') as odd:
        odd.streams = [broken, broken, first, broken, second]
        with Client(odd.url, **USER, retries=QUICK) as client:
            assert [change.position for change in islice(client.follow(), 2)] == ["1", "2"]
        assert [record.levelname for record in caplog.records if record.name == "logbook_client"] == ["WARNING"] * 3
        caplog.clear()
        odd.streams = [broken, broken, first, broken, second]
        assert asyncio.run(asyncio.wait_for(follow(odd.url), 120)) == ["1", "2"]
        assert [record.levelname for record in caplog.records if record.name == "logbook_client"] == ["WARNING"] * 3


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


@contextmanager
def forked_child(work: Callable[[], None] = lambda: None) -> Iterator[int]:
    """A child that has done some work, and lives until it is killed at the end."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            os.write(done, b"1")
            signal.pause()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(done)
    try:
        assert os.read(ready, 1) == b"1", "the work of the child failed; its output says why"
        yield child
    finally:
        os.close(ready)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_lock_of_a_killed_process_is_free_although_its_child_lives(tmp_path: Path) -> None:
    """The process that takes the lock is a child of the test, and its own child survives it."""
    lock, (read, write) = FileLock(tmp_path / "lock"), os.pipe()
    process = os.fork()
    if process == 0:
        lock.acquire()
        if os.fork() == 0:
            # At the fork, this child has closed its copy of the lock's descriptor.
            os.write(write, str(os.getpid()).encode())
            signal.pause()
            os._exit(0)
        signal.pause()
    grandchild = int(os.read(read, 20))
    assert not lock.acquire(blocking=False)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    try:
        assert lock.acquire(blocking=False)
        lock.release()
    finally:
        os.kill(grandchild, signal.SIGKILL)


def test_a_child_does_not_release_the_lock_of_its_parent(tmp_path: Path) -> None:
    lock, other = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert lock.acquire()
    with forked_child(lock.release):
        assert not other.acquire(blocking=False)
        lock.release()
        assert other.acquire(blocking=False)
        other.release()


def test_a_process_that_is_forked_while_entries_are_sent_sends_its_own(
    logbook_service: LogbookService, proxy: CuttingProxy, tmp_path: Path
) -> None:
    """The parent waits for an answer at the fork: the child has neither its lock, nor its thread, nor its connection."""
    with Client(proxy.url, **USER, retries=QUICK, spool_directory=tmp_path) as client:
        client.get(client.post("before the fork", "x", logbooks="operations").id)
        proxy.withholds_answers = True
        waiting = client.post("of the parent", "x", logbooks="operations", spool=True)
        while not (tmp_path / "waiting" / waiting.name / "attempt.json").exists():
            time.sleep(0.001)

        def work() -> None:
            with Client(logbook_service.url, **USER, retries=QUICK) as direct:
                client.settings = replace(client.settings, url=logbook_service.url)
                client._operations.settings = client.settings
                entry = client.post("of the child", "x", logbooks="operations")
                assert direct.get(entry.id).title == "of the child"
                spooled = client.post("spooled by the child", "x", logbooks="operations", spool=True)
                assert spooled.state == "waiting"

        with forked_child(work):
            proxy.withholds_answers = False
            proxy.cut()
            while client.spool.list("waiting"):
                client.spool.send(wait_seconds=10)
    with Client(logbook_service.url, **USER) as client:
        for title in ("of the parent", "of the child", "spooled by the child"):
            assert [one.title for one in client.search(title=title)] == [title]


def test_a_child_and_its_parent_receive_their_own_answers(logbook_service: LogbookService) -> None:
    """If the child had the idle connection of the parent, both would use it at the same time."""
    read, write = os.pipe()
    with Client(logbook_service.url, **USER, retries=QUICK) as client:
        first, second = (client.post(f"answer {one}", "x", logbooks="operations").id for one in "ab")

        def work() -> None:
            os.write(write, b"1")
            for _ in range(100):
                assert client.get(first).id == first

        def read_own() -> set[int]:
            os.read(read, 1)
            return {client.get(second).id for _ in range(100)}

        with ThreadPoolExecutor(1) as pool:
            own = pool.submit(read_own)
            with forked_child(work):
                assert own.result() == {second}


def test_a_token_is_never_part_of_a_message(logbook_service: LogbookService) -> None:
    for token in ("logbook_secret\nlogbook_other", "logbook_secret\x00", "logbook_secreté"):
        with pytest.raises(ValueError, match="Copy it again") as error:
            Client(logbook_service.url, token=token)
        assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["http://host:99999/x", "http://host:port/x", "http://[::1/x"])
def test_an_invalid_address_is_named(url: str) -> None:
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
