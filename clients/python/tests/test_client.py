"""The client with a Logbook service, and with one of the Olog family."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from conftest import QUICK, USER, Service
from cutting_proxy import CuttingProxy
from logbook_client import (
    AsyncClient,
    Client,
    EditConflict,
    File,
    LogbookError,
    NotFound,
    OutcomeUnknown,
    Refused,
    SignInFailed,
    Unreachable,
)
from logbook_service import LogbookService
from odd_service import OddService
from olog_service import OlogService


class Figure:
    """Behaves as a figure of matplotlib."""

    def get_label(self) -> str:
        return "orbit/x"

    def savefig(self, target: object, **_: object) -> None:
        target.write(b"\x89PNG\r\n\x1a\n")  # type: ignore[attr-defined]


class Table:
    """Behaves as a DataFrame of pandas."""

    def to_csv(self) -> str:
        return "time,current\n1,2\n"


def test_an_entry_is_created_read_found_edited_and_answered(client: Client, service: Service) -> None:
    created = client.post(
        "Magnet trip",
        "Q1 **tripped** at 03:12.",
        logbooks="operations",
        tags=["alarm"],
        level="Problem",
        properties={"resource": {"name": "SR:Q1", "file": None}},
        events={"trip": datetime(2026, 3, 1, 3, 12, tzinfo=timezone.utc)},
    )
    entry = client.get(created.id)
    assert (entry.title, entry.text, entry.owner, entry.level) == (
        "Magnet trip",
        "Q1 **tripped** at 03:12.",
        "user",
        "Problem",
    )
    assert "**" not in entry.description
    assert entry.logbook_names == ["operations"] and entry.tag_names == ["alarm"]
    assert {one.name: one.value for one in entry.properties[0].attributes} == {"name": "SR:Q1", "file": None}
    assert entry.events[0].instant == 1_772_334_720_000
    assert abs(entry.created - datetime.now(timezone.utc)) < timedelta(minutes=5)
    assert entry.url == f"{service.url}/logs/{entry.id}"

    found = list(client.search(text="tripped", logbooks=["operations"], start=timedelta(hours=1), limit=1))
    assert [one.id for one in found] == [entry.id]

    edited = client.edit(entry, text="Q1 tripped again.", add_tags="alarm", title="Magnet trips")
    assert (edited.title, edited.text, edited.tag_names, edited.level) == (
        "Magnet trips",
        "Q1 tripped again.",
        ["alarm"],
        "Problem",
    )
    assert edited.properties[0].name == "resource" and edited.edited is not None
    assert [one.title for one in client.versions(entry.id)] == ["Magnet trip"]

    reply = client.reply(entry.id, "Reset.")
    assert (reply.title, reply.logbook_names) == ("Re: Magnet trips", ["operations"])
    assert reply.thread_id is not None and reply.thread_id == client.get(entry.id).thread_id


def test_files_come_from_paths_bytes_figures_and_tables(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "Öl „1“.txt"
    path.write_bytes(b"from a path")
    files = [path, ("notes.txt", b"from bytes"), ("notes.txt", b"same name"), Figure(), Table(), File("f.bin", b"\0\1")]
    entry = client.post("Files", "", logbooks="operations", files=files)
    names = [one.filename for one in entry.attachments]
    assert names == ["Öl „1“.txt", "notes.txt", "notes-2.txt", "orbit_x.png", "table.csv", "f.bin"]
    contents = [client.read_file(one) for one in entry.attachments]
    assert contents == [
        b"from a path",
        b"from bytes",
        b"same name",
        b"\x89PNG\r\n\x1a\n",
        b"time,current\n1,2\n",
        b"\0\1",
    ]

    attached = client.attach(entry, ("later.txt", b"later"))
    assert [one.filename for one in attached.attachments][-1] == "later.txt" and len(attached.attachments) == 7
    saved = client.save_file(attached.attachments[-1], tmp_path)
    assert saved == tmp_path / "later.txt" and saved.read_bytes() == b"later"
    with pytest.raises(FileNotFoundError, match="missing.txt is not a file"):
        client.post("t", logbooks="operations", files=[tmp_path / "missing.txt"])


def test_a_name_from_the_logbook_never_leads_out_of_a_directory(tmp_path: Path) -> None:
    from logbook_client import Attachment
    from logbook_client.files import target_of

    def at(filename: str) -> Path:
        fields = {"fileMetadataDescription": "", "size": 0, "contentType": "", "checksum": ""}
        return target_of(Attachment.model_validate({"id": "x1", "filename": filename, **fields}), tmp_path)

    assert [at(name).relative_to(tmp_path).name for name in ("../../a", "/etc/b", "..\\c", "..")] == [
        "a",
        "b",
        "c",
        "x1",
    ]


def test_refusals_say_why(client: Client, service: Service) -> None:
    with pytest.raises(Refused, match="ogbook") as refused:
        client.post("t", "x", logbooks="no-such")
    assert refused.value.status == 400
    with pytest.raises(NotFound):
        client.get(999_999)
    with pytest.raises(ValueError, match="at least one logbook"):
        client.post("t", "x")
    with pytest.raises(TypeError, match="Unknown field 'tag'"):
        client.post("t", "x", logbooks="operations", tag="alarm")  # type: ignore[call-arg]
    with Client(service.url, user="user", password="wrong", retries=QUICK) as other, pytest.raises(SignInFailed):
        other.post("t", "x", logbooks="operations")


def test_an_edit_of_an_entry_that_somebody_has_edited_is_refused(client: Client) -> None:
    read = client.post("Original", "one", logbooks="operations")
    time.sleep(0.002)
    client.edit(read.id, text="two")
    with pytest.raises(EditConflict) as conflict:
        client.edit(read, text="three")
    assert conflict.value.current is not None and conflict.value.current.text == "two"
    assert client.get(read.id).text == "two"


def test_an_edit_repeats_when_somebody_replies_in_between(logbook_service: LogbookService) -> None:
    with Client(logbook_service.url, **USER) as client:
        read = client.post("Original", "one", logbooks="operations")
        client.reply(read, "a reply, which is no edit")
        assert client.edit(read, text="two").text == "two"


def test_a_search_ends_with_the_last_entry(logbook_service: LogbookService) -> None:
    with Client(logbook_service.url, **USER) as client:
        made = [client.post("walk", f"walk {number}", logbooks="controls").id for number in range(17)]
        found = []
        for entry in client.search(title="walk", logbooks="controls", page_size=5):
            found.append(entry.id)
            if len(found) == 3:
                client.post("walk", "later", logbooks="controls")
        assert found == made[::-1]
        assert [one.id for one in client.search(title="walk", sort="up", limit=7, page_size=3)] == made[:7]


@pytest.mark.parametrize("sort", ["up", "down"])
def test_a_search_passes_the_end_of_the_results_that_olog_shows(olog_service: OlogService, sort: str) -> None:
    sent = {"title": "t", "description": "x", "logbooks": [{"name": "operations"}]}
    begin = 1_700_000_000_000
    for number in range(21_500):
        olog_service.create("user", sent, begin + number * 137)
    with Client(olog_service.url, **USER) as client:
        window = {"start": datetime.fromtimestamp(begin / 1_000, timezone.utc), "end": datetime.now(timezone.utc)}
        found = [entry.id for entry in client.search(sort=sort, page_size=1_000, **window)]  # type: ignore[arg-type]
    expected = list(range(21_500))
    assert found == (expected if sort == "up" else expected[::-1])


def test_a_lost_answer_does_not_store_an_entry_twice(logbook_service: LogbookService, proxy: CuttingProxy) -> None:
    with Client(proxy.url, **USER, retries=QUICK) as client:
        proxy.lost_answers = 2
        entry = client.post("Once", "only", logbooks="operations", files=[("a.txt", b"a")])
        assert [one.id for one in client.search(title="Once")] == [entry.id]


def test_olog_cannot_tell_whether_it_stored_an_entry(olog_service: OlogService) -> None:
    with Client(olog_service.url, **USER, retries=QUICK) as client:
        olog_service.lost_answers = 1
        with pytest.raises(OutcomeUnknown, match="Look for the entry"):
            client.post("Once", "only", logbooks="operations")
        assert len(olog_service.entries) == 1


def test_a_service_that_does_not_answer_is_unreachable() -> None:
    with Client("http://127.0.0.1:9/logbook", **USER, retries=QUICK) as client, pytest.raises(Unreachable):
        client.post("t", "x", logbooks="operations")


def test_an_address_without_a_logbook_is_named(logbook_service: LogbookService) -> None:
    with Client(f"{logbook_service.origin}/healthz", retries=QUICK) as client, pytest.raises(Refused):
        client.capabilities()
    with pytest.raises(ValueError, match="is not the address of a logbook"):
        Client("logbook.example.org")


def test_capabilities_come_from_the_welcome_page(client: Client, service: Service) -> None:
    is_logbook = isinstance(service, LogbookService)
    found = client.capabilities()
    assert found.name == ("Logbook Service" if is_logbook else "Olog Service")
    assert found.repeats_writes == found.checks_revisions == found.streams_changes == is_logbook
    catalogue = client.catalogue()
    assert "operations" in catalogue.logbooks and catalogue.levels[0] == "Info"
    assert catalogue.properties["resource"] == ["name", "file"]


def test_credentials_come_from_the_environment_and_from_netrc(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LOGBOOK_URL", service.url)
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login admin password adminPass\n")
    (tmp_path / "netrc").chmod(0o600)
    with Client() as client:
        assert client.post("t", "x", logbooks="operations").owner == "admin"
    monkeypatch.setenv("LOGBOOK_USER", "user")
    monkeypatch.setenv("LOGBOOK_PASSWORD", "userPass")
    with Client() as client:
        assert client.post("t", "x", logbooks="operations").owner == "user"


def test_a_password_without_its_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGBOOK_USER", "user")
    with pytest.raises(ValueError, match="Give the user of the password"):
        Client("http://127.0.0.1:9/logbook", password="userPass")


def test_a_token_signs_in(logbook_service: LogbookService) -> None:
    # A token that was read from a file ends with a line end.
    with Client(logbook_service.url, token=make_token(logbook_service) + "\r\n") as client:
        assert client.post("t", "by a token", logbooks="operations").owner == "user"
    with Client(logbook_service.url, token="logbook_wrong", retries=QUICK) as other, pytest.raises(SignInFailed):
        other.post("t", "x", logbooks="operations")


def make_token(service: LogbookService) -> str:
    import base64

    headers = {
        "Authorization": f"Basic {base64.b64encode(b'user:userPass').decode()}",
        "Content-Type": "application/json",
    }
    body = json.dumps({"name": "test", "rights": ["entries"]}).encode()
    with urlopen(Request(f"{service.url}/tokens", body, headers, method="POST")) as answer:
        return str(json.load(answer)["token"])


def test_a_follower_receives_each_change_once_across_cut_connections_and_runs(
    logbook_service: LogbookService, proxy: CuttingProxy, tmp_path: Path
) -> None:
    state = tmp_path / "state" / "position"
    with Client(proxy.url, **USER, retries=QUICK) as client:
        made = [client.post("followed", f"line\u2028separator {number}", logbooks="controls").id for number in range(3)]
        received = []
        for change in client.follow(position="0", state=state, title="followed"):
            assert change.entry is not None and "\u2028" in change.entry.text
            received.append((change.kind, change.entry.id))
            if len(received) == 2:
                proxy.cut()
            if len(received) == 3:
                break
        # The loop has not processed the third change, so the next run gets it again.
        client.edit(made[0], text="line\u2028separator edited")
        made.append(client.post("followed", "line\u2028separator 4", logbooks="controls").id)
        for change in client.follow(state=state, title="followed"):
            assert change.entry is not None
            received.append((change.kind, change.entry.id))
            if len(received) == 6:
                break
    created = [("created", entry_id) for entry_id in made]
    assert received == [*created[:3], created[2], ("edited", made[0]), created[3]]


def test_two_followers_do_not_share_a_position(logbook_service: LogbookService, tmp_path: Path) -> None:
    with Client(logbook_service.url, **USER) as client:
        client.post("followed by two", "x", logbooks="controls")
        first = client.follow(position="0", state=tmp_path / "position")
        next(first)
        with pytest.raises(LogbookError, match="Another process follows"):
            next(client.follow(state=tmp_path / "position"))
        first.close()


def test_a_follower_of_olog_receives_new_entries(olog_service: OlogService, tmp_path: Path) -> None:
    sent = {"title": "old", "description": "x", "logbooks": [{"name": "operations"}]}
    olog_service.create("user", sent)
    received: list[int] = []

    def create_once_the_position_is_known() -> None:
        while not (tmp_path / "position").exists():
            time.sleep(0.01)
        for _ in range(3):
            olog_service.create("user", sent)

    with Client(olog_service.url, **USER) as client:
        for run in range(2):
            changes = client.follow(state=tmp_path / "position", poll_seconds=0.01)
            thread = threading.Thread(target=create_once_the_position_is_known, daemon=True)
            thread.start()
            for change in changes:
                assert change.entry is not None
                received.append(change.entry.id)
                if len(received) == 3 * run + 3:
                    break
            thread.join()
    # The third was not processed when the first run ended.
    assert received == [1, 2, 3, 3, 4, 5]


def test_the_client_for_asyncio_does_the_same(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logbook_client.background.SpoolSender._LINGER_SECONDS", 120.0)

    async def main() -> None:
        async with AsyncClient(service.url, **USER, retries=QUICK) as client:
            followed = asyncio.create_task(first_change(client))
            entry = await client.post("Async", "a", logbooks="operations", files=[("a.txt", b"content")])
            assert await client.read_file(entry.attachments[0]) == b"content"
            saved = await client.save_file(entry.attachments[0], tmp_path)
            assert saved.read_bytes() == b"content"
            edited = await client.edit(entry, text="b")
            reply = await client.reply(edited, "c", tags=["alarm"])
            found = [one.id async for one in client.search(title="Async", logbooks="operations", limit=2)]
            assert found == [reply.id, entry.id]
            assert (await client.versions(entry))[0].text == "a"
            with pytest.raises(NotFound):
                await client.get(999_999)
            spooled = await client.post("Async spool", "d", logbooks="operations", spool=True)
            while not followed.done():
                # An entry that comes before the stream is connected is not received.
                await client.post("Async again", "e", logbooks="operations")
            assert await followed is not None
        assert spooled.state == "sent"

    async def first_change(client: AsyncClient) -> object:
        changes = client.follow(poll_seconds=0.01)
        try:
            async for change in changes:
                return change
        finally:
            await changes.aclose()
        return None

    asyncio.run(asyncio.wait_for(main(), 120))


def test_a_run_grows_by_blocks_and_ends_with_its_status(logbook_service: LogbookService) -> None:
    with Client(logbook_service.url, **USER) as client:
        with client.run("Scan 17", logbooks="operations") as run:
            run.append("Point **1**", {"motor": 1.5, "shutter": True})
            run.append(files=[("plot.txt", b"1"), Figure()])
            assert client.get(run.entry.id).description == "Point 1\n- motor: 1.5\n- shutter: true"
            assert [found.id for found in client.search(query="is:running")] == [run.entry.id]
        closed = client.get(run.entry.id)
        assert closed.run is not None and (closed.run.status, closed.run.blocks) == ("done", 2)
        assert [file.filename for file in closed.attachments] == ["plot.txt", "orbit_x.png"]
        assert len(client.versions(closed)) == 1
        with pytest.raises(ZeroDivisionError), client.run("Scan 18", logbooks="operations") as failing:
            failing.append(str(1 / 0))
        failed = client.get(failing.entry.id)
        assert failed.run is not None and failed.run.status == "failed"


def test_a_block_whose_answer_is_lost_is_stored_once(proxy: CuttingProxy) -> None:
    with Client(proxy.url, **USER, retries=QUICK) as client:
        with client.run("Scan 19", logbooks="operations") as run:
            for number in range(5):
                proxy.lost_answers = number % 3
                run.append(f"Block {number}.", files=[("a.txt", b"a")] if number == 2 else [])
        assert client.get(run.entry.id).text == "\n\n".join(f"Block {number}." for number in range(5))


def test_a_run_for_asyncio_grows_in_order_and_ends_with_its_status(logbook_service: LogbookService) -> None:
    async def main() -> None:
        async with AsyncClient(logbook_service.url, **USER) as client:
            async with client.run("Scan 21", logbooks="operations") as run:
                await asyncio.gather(*(run.append(f"Point {number}") for number in range(3)))
                await run.append(values={"motor": 2}, files=[("a.txt", b"a")])
            done = await client.get(run.entry.id)
            assert done.text == "Point 0\n\nPoint 1\n\nPoint 2\n\n- `motor`: `2`"
            assert done.run is not None and (done.run.status, done.run.blocks) == ("done", 4)
            with pytest.raises(ZeroDivisionError):
                async with client.run("Scan 22", logbooks="operations") as run:
                    raise ZeroDivisionError
            failed = await client.get(run.entry.id)
            assert failed.run is not None and failed.run.status == "failed"

    asyncio.run(asyncio.wait_for(main(), 120))


def test_a_service_without_runs_refuses_them_before_anything_is_stored(olog_service: OlogService) -> None:
    with Client(olog_service.url, **USER) as client:
        with pytest.raises(Refused, match="has no runs"), client.run("Scan 20", logbooks="operations"):
            pass


def test_entries_of_similar_meaning_are_read(logbook_service: LogbookService) -> None:
    with Client(logbook_service.url, **USER) as client:
        entry = client.post("Klystron arcing", logbooks="operations")
        assert client.similar("klystron", owner="someone-else") == []
    similar = {"entry": entry.model_dump(mode="json"), "like": ["klystron"]}
    body = json.dumps({"hitCount": 0, "logs": [], "byMeaning": [similar]}).encode()
    with OddService(200, {"Content-Type": "application/json"}, body) as odd, Client(odd.url, **USER) as client:
        assert [one.title for one in client.similar("arc & trip", tags="alarm")] == ["Klystron arcing"]
        assert odd.requests[0][0].endswith("?tags=alarm&meaning=arc+%26+trip&size=1")


def test_a_service_that_cannot_compare_entries_is_an_error(olog_service: OlogService) -> None:
    with Client(olog_service.url, **USER) as client, pytest.raises(LogbookError, match="by meaning"):
        client.similar("klystron")
