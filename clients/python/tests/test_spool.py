"""The spool: each entry is sent exactly once and in order, whatever ends the processes."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import sys
import time
import traceback
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, Callable, Optional, Union

import pytest
from conftest import QUICK, USER, Service
from cutting_proxy import CuttingProxy
from logbook_client import Client, SignInFailed, SpoolFailed, Unreachable
from logbook_client.deliveries import Deliveries, _date_ms
from logbook_client.durable import sync_directory, write_reserved
from logbook_service import LogbookService
from olog_service import OlogService

CLOSED = "http://127.0.0.1:9/logbook"
KILLS = int(os.environ.get("LOGBOOK_TEST_KILLS", "24"))


def connect(url: str, spool: Path) -> Client:
    return Client(url, **USER, retries=QUICK, spool_directory=spool)


def add(client: Client, title: str, **fields: object) -> str:
    return client.spool.add(title, "text", {"logbooks": "operations", **fields}).name  # type: ignore[typeddict-item]


def titles(client: Client, beginning: str) -> list[str]:
    return [
        one.title for one in client.search(text="text", sort="up", page_size=1_000) if one.title.startswith(beginning)
    ]


def test_a_spool_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with connect(CLOSED, tmp_path) as client:
        spool = client.spool
        (tmp_path / "waiting").rmdir()
        report = spool.send()
    assert isinstance(report.problem, SpoolFailed) and "cannot be used" in str(report.problem)


def test_entries_wait_while_the_service_is_unreachable_and_are_sent_in_order(service: Service, tmp_path: Path) -> None:
    with connect(CLOSED, tmp_path) as client:
        for number in range(12):
            add(client, f"waits {number}", files=[("a.txt", b"a")] if number % 5 == 0 else ())
        report = client.spool.send()
        assert report.waiting == 12 and isinstance(report.problem, Unreachable)
    with connect(service.url, tmp_path) as client:
        report = client.spool.send()
        assert (report.waiting, report.problem, len(report.sent)) == (0, None, 12)
        assert titles(client, "waits") == [f"waits {number}" for number in range(12)]
        found = next(iter(client.search(title="waits", sort="up")))
        assert client.read_file(found.attachments[0]) == b"a"
        assert client.spool.list("sent")[0].entry_id == found.id


def test_post_returns_while_the_service_is_unreachable_and_close_sends(service: Service, tmp_path: Path) -> None:
    with connect(CLOSED, tmp_path) as client:
        began = time.monotonic()
        first = client.post("posted 0", "text", logbooks="operations", spool=True)
        assert first.state == "waiting" and first.entry_id is None
    assert time.monotonic() - began < 60
    with connect(service.url, tmp_path) as client:
        others = [client.post(f"posted {one}", "text", logbooks="operations", spool=True) for one in range(1, 6)]
    assert {one.state for one in (first, *others)} == {"sent"}
    ids = [one.entry_id or 0 for one in (first, *others)]
    assert ids == sorted(set(ids))


def test_a_refused_entry_is_set_aside_and_does_not_hold_up_the_others(service: Service, tmp_path: Path) -> None:
    with connect(service.url, tmp_path) as client:
        add(client, "refused 0")
        client.spool.add("refused 1", "text", {"logbooks": "no-such"})
        add(client, "refused 2")
        report = client.spool.send()
        assert (report.waiting, len(report.sent), [one.title for one in report.refused]) == (0, 2, ["refused 1"])
        refused = client.spool.list("refused")[0]
        assert refused.state == "refused" and "ogbook" in (refused.refusal or "")
        assert titles(client, "refused") == ["refused 0", "refused 2"]
        # A refused entry can be sent once the cause is gone. Here the cause remains, and the entry is set aside again.
        assert client.spool.retry(refused).state == "waiting"
        assert [one.title for one in client.spool.send().refused] == ["refused 1"]
        client.spool.discard(client.spool.list("refused")[0])
        assert client.spool.list("refused") == []


def test_wrong_credentials_refuse_nothing(service: Service, tmp_path: Path) -> None:
    with Client(service.url, user="user", password="wrong", retries=QUICK, spool_directory=tmp_path) as client:
        add(client, "password")
        report = client.spool.send()
        assert report.waiting == 1 and isinstance(report.problem, SignInFailed)
    with connect(service.url, tmp_path) as client:
        assert client.spool.send().waiting == 0


def test_a_lost_answer_does_not_send_an_entry_twice(
    logbook_service: LogbookService, proxy: CuttingProxy, tmp_path: Path
) -> None:
    with connect(proxy.url, tmp_path) as client:
        name = add(client, "lost answer")
        proxy.lost_answers = 1
        report = client.spool.send()
        assert report.waiting == 1 and isinstance(report.problem, Unreachable)
        assert list(client.spool.send().sent) == [name]
        assert titles(client, "lost answer") == ["lost answer"]


def test_olog_is_asked_for_an_entry_whose_answer_was_lost(olog_service: OlogService, tmp_path: Path) -> None:
    with connect(olog_service.url, tmp_path) as client:
        # Equal entries are told apart by their order.
        for _ in range(3):
            add(client, "equal")
        for _ in range(3):
            olog_service.lost_answers = 1
            client.spool.send()
        report = client.spool.send()
        assert report.waiting == 0
        assert [one["title"] for one in olog_service.entries.values()] == ["equal"] * 3
        assert [item.entry_id for item in client.spool.list("sent")] == [0, 1, 2]


@pytest.mark.parametrize(
    "fields",
    [
        {"level": "Problem"},
        {"tags": "alarm"},
        {"properties": {"resource": {"name": "SR:I"}}},
        {"properties": {"resource": {}}},
        {"files": [("a.txt", b"a")]},
    ],
)
def test_an_entry_is_not_taken_for_one_with_other_fields(
    olog_service: OlogService, tmp_path: Path, fields: dict[str, object]
) -> None:
    with connect(olog_service.url, tmp_path) as client:
        add(client, "similar", **fields)
        olog_service.failures = 1
        assert client.spool.send().waiting == 1
        sent = {"title": "similar", "source": "text", "description": "text", "logbooks": [{"name": "operations"}]}
        olog_service.create("user", {**sent, "level": "Info"})
        olog_service.lost_answers = 1
        assert client.spool.send().waiting == 1
        assert client.spool.send().waiting == 0
        # It is stored, and found when its answer is lost.
        assert [item.entry_id for item in client.spool.list("sent")] == [1]
        assert len(olog_service.entries) == 2


@pytest.mark.parametrize("status", [500, 502, 507, None, b"<html>The policy forbids an answer.</html>"])
def test_an_entry_that_always_fails_is_set_aside_once_a_later_one_is_sent(
    olog_service: OlogService, tmp_path: Path, status: Union[int, bytes, None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.deliveries.SETTLE_SECONDS", 0)
    monkeypatch.setattr("logbook_client.deliveries._MAX_FAILURES", 4)
    with connect(olog_service.url, tmp_path) as client:
        for title in ("before", "poison", "poison", "after"):
            add(client, title)
        olog_service.failing = {"poison": status}
        # The first entries make all others wait, until each of them has failed 4 times.
        for _ in range(6):
            assert client.spool.send().waiting == 3
        report = client.spool.send()
        assert (report.waiting, report.problem, [one.title for one in report.refused]) == (0, None, ["poison"] * 2)
        assert [one["title"] for one in olog_service.entries.values()] == ["before", "after"]
        assert "answer" in str(report.refused[0].refusal) or "Not this one" in str(report.refused[0].refusal)
        # A retried entry has as many attempts as a new one.
        client.spool.retry(report.refused[0])
        assert client.spool.send().waiting == 1
        olog_service.failing = {}
        assert client.spool.send().waiting == 0
        client.spool.retry(report.refused[1])
        assert client.spool.send().waiting == 0
        assert [one["title"] for one in olog_service.entries.values()] == ["before", "after", "poison", "poison"]


def test_no_entry_is_set_aside_because_the_service_has_just_stopped_answering(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.deliveries.SETTLE_SECONDS", 0)
    monkeypatch.setattr("logbook_client.deliveries._MAX_FAILURES", 1)
    write_receipt = Deliveries.write_receipt

    def stop_answering(*arguments: Any) -> None:
        write_receipt(*arguments)
        olog_service.welcome_failures = [502] * 1_000

    monkeypatch.setattr(Deliveries, "write_receipt", stop_answering)
    with connect(olog_service.url, tmp_path) as client:
        for title in ("poison", "after"):
            add(client, title)
        olog_service.failing = {"poison": 502}
        report = client.spool.send()
        assert (report.waiting, report.refused, len(report.sent)) == (1, [], 1)
        assert report.problem is not None


def test_no_entry_is_set_aside_while_the_service_takes_none(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.deliveries.SETTLE_SECONDS", 0)
    with connect(olog_service.url, tmp_path) as client:
        for number in range(4):
            add(client, f"all {number}")
        # All writes fail, then all requests, and then the service recovers after the attempt for the first entry.
        olog_service.failures = 1_000
        for _ in range(25):
            assert client.spool.send().waiting == 4
        olog_service.welcome_failures = [502] * 1_000
        for _ in range(25):
            assert client.spool.send().waiting == 4
        olog_service.welcome_failures = []
        olog_service.failures = 1
        report = client.spool.send()
        assert (report.waiting, report.refused) == (0, [])
        assert sorted(one["title"] for one in olog_service.entries.values()) == [f"all {one}" for one in range(4)]


def test_the_number_of_entries_that_fail_while_a_later_one_is_tried_is_bounded(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.spool._MAX_FAILING", 2)
    monkeypatch.setattr("logbook_client.deliveries._MAX_FAILURES", 1)
    with connect(olog_service.url, tmp_path) as client:
        for number in range(5):
            add(client, f"bounded {number}")
        olog_service.failures = 1_000
        client.spool.send()
        assert olog_service.failures == 997


@pytest.mark.parametrize("change", ["account", "clock", "clock of old", "restart"])
def test_an_entry_whose_answer_was_lost_is_stored_once_whatever_changes(
    logbook_service: LogbookService, proxy: CuttingProxy, tmp_path: Path, change: str
) -> None:
    title = f"lost answer before another {change}"
    with connect(proxy.url, tmp_path) as client:
        add(client, "before")
        client.spool.send()
        name = add(client, title)
        proxy.lost_answers = 1
        assert client.spool.send().waiting == 1
    entry, attempt = (tmp_path / "waiting" / name / f"{file}.json" for file in ("entry", "attempt"))
    if "clock" in change:
        # The clock was two days fast at the attempt, and the service no longer knows the key.
        began, saved = json.loads(attempt.read_text()), json.loads(entry.read_text())
        service_ms = began["serviceMs"] - 8 * 86_400_000 if change == "clock" else None
        began.update(beganMs=began["beganMs"] + 2 * 86_400_000, serviceMs=service_ms)
        attempt.write_text(json.dumps(began))
        entry.write_text(json.dumps({**saved, "key": "another"}))
    user = {"user": "admin", "password": "adminPass"} if change == "account" else USER
    with Client(logbook_service.url, **user, retries=QUICK, spool_directory=tmp_path) as client:
        assert list(client.spool.send().sent) == [name]
        assert [one.title for one in client.search(title=title)] == [title]


MINUTE = 60_000


def set_clock(monkeypatch: pytest.MonkeyPatch, ahead_ms: int) -> None:
    """Sets the clock of the client; that of the service stays."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Optional[tzinfo] = None) -> Clock:
            return cls.fromtimestamp(time.time() + ahead_ms / 1_000, tz)

    for module in ("spool", "deliveries"):
        monkeypatch.setattr(f"logbook_client.{module}.datetime", Clock)


@pytest.mark.parametrize("account", ["user", "admin"])
@pytest.mark.parametrize(
    ("at_attempt", "at_repetition", "later"),
    [(20, 20, 0), (20, 0, 40), (-20, -20, 0), (-20, 3_000, 0), (3_000, 20, 0), (20, 20, 9 * 24 * 60)],
)
def test_an_entry_is_found_whatever_the_clock_of_the_client_shows(
    olog_service: OlogService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    account: str,
    at_attempt: int,
    at_repetition: int,
    later: int,
) -> None:
    with connect(olog_service.url, tmp_path) as client:
        set_clock(monkeypatch, at_attempt * MINUTE)
        name = add(client, "another clock")
        olog_service.lost_answers = 1
        assert client.spool.send().waiting == 1
    # The repetition comes some minutes later.
    file = tmp_path / "waiting" / name / "attempt.json"
    attempt = json.loads(file.read_text())
    times = {key: attempt[key] - later * MINUTE for key in ("beganMs", "serviceMs") if key in attempt}
    file.write_text(json.dumps({**attempt, **times}))
    olog_service.entries[0]["createdDate"] -= later * MINUTE
    set_clock(monkeypatch, at_repetition * MINUTE)
    with Client(olog_service.url, user=account, password=f"{account}Pass", spool_directory=tmp_path) as client:
        assert client.spool.send().sent[name].id == 0
    assert len(olog_service.entries) == 1


def test_an_attempt_of_an_earlier_version_is_found_although_the_clock_is_ahead(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, 20 * MINUTE)
    with connect(olog_service.url, tmp_path) as client:
        name = add(client, "another clock")
        olog_service.lost_answers = 1
        assert client.spool.send().waiting == 1
        file = tmp_path / "waiting" / name / "attempt.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "serviceMs": None}))
        assert client.spool.send().sent[name].id == 0


def test_an_entry_is_stored_once_although_the_computer_has_slept(
    proxy: CuttingProxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = 8 * 24 * 60 * MINUTE
    with connect(proxy.url, tmp_path) as client:
        with monkeypatch.context() as patch:
            set_clock(patch, -slept)
            patch.setattr("logbook_client.deliveries._date_ms", lambda answer: _date_ms(answer) - slept)
            add(client, "before")
            client.spool.send()
            name = add(client, "slept")
            proxy.lost_answers = 1
            assert client.spool.send().waiting == 1
        # The service no longer knows the key.
        file = tmp_path / "waiting" / name / "entry.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "key": "another"}))
        assert list(client.spool.send().sent) == [name]
        assert titles(client, "slept") == ["slept"]


def test_an_entry_is_found_although_the_time_of_the_service_was_refused(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, 20 * MINUTE)
    with connect(olog_service.url, tmp_path) as client:
        name = add(client, "another clock")
        olog_service.welcome_failures = [403]
        olog_service.lost_answers = 1
        assert client.spool.send().waiting == 1
        assert client.spool.send().sent[name].id == 0
    assert len(olog_service.entries) == 1


def fail_as_a_full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_entry_that_always_fails_is_set_aside_on_a_full_disk(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.deliveries.SETTLE_SECONDS", 0)
    monkeypatch.setattr("logbook_client.deliveries._MAX_FAILURES", 4)
    with connect(olog_service.url, tmp_path) as client:
        for title in ("poison", "after"):
            add(client, title)
        olog_service.failing = {"poison": 500}
        monkeypatch.setattr("logbook_client.durable.write_synced", fail_as_a_full_disk)
        for _ in range(3):
            assert client.spool.send().waiting == 2
        report = client.spool.send()
        assert (report.waiting, [one.title for one in report.refused], len(report.sent)) == (0, ["poison"], 1)


@pytest.mark.parametrize("text", ["text", "text " * 2_000])
def test_a_spool_that_has_filled_its_disk_is_sent(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    title = f"full {len(text)} {service.url[-5:]}"
    with connect(service.url, tmp_path) as client:
        for number in range(3):
            client.spool.add(f"{title} {number}", text, {"logbooks": "no-such" if number == 1 else "operations"})
        with monkeypatch.context() as patch:
            patch.setattr("logbook_client.durable.write_synced", fail_as_a_full_disk)
            report = client.spool.send()
        assert (report.waiting, report.problem, len(report.sent), len(report.refused)) == (0, None, 2, 1)
        assert "ogbook" in (client.spool.list("refused")[0].refusal or "")
        found = {one.id: one.title for one in client.search(title=title[:4]) if one.title.startswith(title)}
        assert sorted(found.values()) == [f"{title} 0", f"{title} 2"]
        assert [item.entry_id for item in client.spool.list("sent")] == sorted(found)


@pytest.mark.parametrize("file", ["attempt.json", "answer.json"])
def test_a_crash_during_the_record_of_an_entry_neither_loses_nor_repeats_it(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    def crash(target: Path, content: bytes) -> None:
        if target.name == file:
            target.write_bytes(content[: len(content) // 2].ljust(target.stat().st_size))
            raise KeyboardInterrupt
        write_reserved(target, content)

    title = f"crash {file} {service.url[-5:]}"
    with connect(service.url, tmp_path) as client:
        name = add(client, title)
        with monkeypatch.context() as patch:
            patch.setattr("logbook_client.deliveries.write_reserved", crash)
            with pytest.raises(KeyboardInterrupt):
                client.spool.send()
        assert list(client.spool.send().sent) == [name]
        assert titles(client, title) == [title]


@pytest.mark.parametrize("state", ["waiting", "sent"])
def test_an_entry_whose_move_is_not_durable_is_sent_once_or_not_stored(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    def fail(directory: Path) -> None:
        if directory == tmp_path / state:
            raise OSError(5, "Input/output error")
        sync_directory(directory)

    title = f"unsynced {state} {service.url[-5:]}"
    with connect(service.url, tmp_path) as client:
        if state == "sent":
            add(client, title)
        with monkeypatch.context() as patch:
            patch.setattr("logbook_client.spool.sync_directory", fail)
            if state == "waiting":
                with pytest.raises(SpoolFailed):
                    add(client, title)
                assert list((tmp_path / "incoming").iterdir()) == client.spool.list() == []
            else:
                assert isinstance(client.spool.send().problem, SpoolFailed)
        assert client.spool.send().waiting == 0
        assert titles(client, title) == ([title] if state == "sent" else [])


def test_the_newest_receipts_are_kept_after_the_spool_was_empty(
    olog_service: OlogService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.spool._KEPT_RECEIPTS", 3)
    with connect(olog_service.url, tmp_path) as client:
        names = [add(client, f"receipt {number}") for number in range(4)]
        client.spool.send()
        for number in range(4, 8):
            names.append(add(client, f"receipt {number}"))
            client.spool.send()
        assert [item.name for item in client.spool.list("sent")] == names[-3:] == sorted(names)[-3:]
        assert len({name.partition("-")[0] for name in names}) == len(names)


def test_an_entry_that_is_sent_late_says_when_it_was_written(service: Service, tmp_path: Path) -> None:
    with connect(service.url, tmp_path) as client:
        name = add(client, "late")
        file = tmp_path / "waiting" / name / "entry.json"
        saved = json.loads(file.read_text())
        saved["writtenMs"] -= 3_600_000
        file.write_text(json.dumps(saved))
        entry = client.spool.send().sent[name]
        assert [(one.name, one.instant) for one in entry.events] == [("written", saved["writtenMs"])]


def test_each_user_and_service_has_a_spool_of_its_own() -> None:
    urls = ["http://a.example/logbook", "http://a.example/Olog", "http://b.example/logbook"]
    directories = [
        Client(url, user=user, password="p").settings.spool_directory for url in urls for user in ("a", "b/..")
    ]
    assert len(set(directories)) == 6 and len({one.parent for one in directories}) == 1


@pytest.fixture(autouse=True)
def quick_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Services of the tests finish received requests faster than real ones. A busy machine needs longer to send."""
    monkeypatch.setattr("logbook_client.deliveries.SETTLE_SECONDS", 2.0)
    monkeypatch.setattr("logbook_client.background.SpoolSender._LINGER_SECONDS", 120.0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork here")
def test_no_kill_loses_or_repeats_an_entry(service: Service, tmp_path: Path) -> None:
    """Processes post and send, and are killed at any moment; the last one sends the rest."""
    acknowledged = tmp_path / "acknowledged"
    acknowledged.touch()
    spool = tmp_path / "spool"
    generator = random.Random(KILLS)

    def work(process: int) -> None:
        with connect(service.url, spool) as client, acknowledged.open("a") as output:
            for number in range(1_000):
                title = f"kill {process:04d} {number:04d}"
                file = [("a.txt", b"a" * 100_000)] if number % 3 == 0 else ()
                client.spool.add(title, "text", {"logbooks": "operations", "files": file})
                output.write(title + "\n")
                output.flush()
                client.spool.send()

    for process in range(KILLS):
        child = start(work, process)
        # The kill comes while an entry is stored, sent or acknowledged, whatever the speed of the machine.
        wanted = acknowledged.stat().st_size + len("kill 0000 0000\n") * generator.randint(0, 2)
        while acknowledged.stat().st_size < wanted:
            time.sleep(0.001)
        time.sleep(generator.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the process ended before it was killed; its output says why"
    with connect(service.url, spool) as client:
        assert client.spool.send().waiting == 0
        found = titles(client, "kill")
    promised = acknowledged.read_text().splitlines()
    assert len(promised) >= KILLS / 2
    # No entry is lost or repeated, and all are in order. A process may have stored its last one just before the kill.
    assert found == sorted(set(found))
    assert [one for one in promised if one not in set(found)] == []
    assert len(found) - len(promised) <= KILLS
    print(f"{KILLS} kills, {len(promised)} acknowledged, {len(found)} stored")


def start(work: Callable[[int], None], number: int) -> int:
    """Starts a process and returns its id."""
    process = os.fork()
    if process == 0:
        try:
            work(number)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(1)
    return process
