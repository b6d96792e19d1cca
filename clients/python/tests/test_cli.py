"""The command line, as programs and people run it."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from pathlib import Path
from typing import Union

import pytest
from conftest import USER, Service
from logbook_client import Client, deliveries
from logbook_client.cli import main, texts, writing
from logbook_client.durable import FileLock
from logbook_service import LogbookService
from olog_service import OlogService


class Shell:
    """Runs commands with the settings of one user."""

    def __init__(self, url: str) -> None:
        self.environment = {"LOGBOOK_URL": url, "LOGBOOK_USER": "user", "LOGBOOK_PASSWORD": "userPass"}
        self.code = 0
        self.errors = ""

    def run(
        self, *arguments: str, text: Union[str, bytes] = "", encoding: str = "utf-8", **environment: str
    ) -> str:
        """Runs a command in this process, with streams of its own; `encoding` is that of the terminal."""
        output = io.TextIOWrapper(io.BytesIO(), encoding)
        errors = io.StringIO()
        sent = text if isinstance(text, bytes) else text.encode()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
            for name, value in {**self.environment, **environment}.items():
                patch.setenv(name, value)
            patch.setattr("sys.argv", ["logbook", *arguments])
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(sent), "utf-8"))
            try:
                main()
            except SystemExit as end:
                self.code = int(end.code or 0)
        self.errors = errors.getvalue()
        output.flush()
        return output.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]

    def json(
        self, *arguments: str, text: Union[str, bytes] = "", encoding: str = "utf-8", **environment: str
    ) -> dict[str, object]:
        shown = self.run(*arguments, "--json", text=text, encoding=encoding, **environment)
        answer: dict[str, object] = json.loads(shown)
        return answer


@pytest.fixture
def shell(service: Service) -> Shell:
    return Shell(service.url)


def test_commands_write_and_read(shell: Shell, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("attached")
    created = shell.json(
        *("post", "Pump stopped", "-", "-l", "operations", "-t", "alarm", "-L", "Problem"),
        *("-p", "resource.name=SR:P1", "-a", str(note)),
        text="Stopped at 04:00.\n",
    )
    entry_id = str(created["id"])
    assert (created["title"], created["source"], created["level"]) == ("Pump stopped", "Stopped at 04:00.\n", "Problem")

    shown = shell.run("get", entry_id, "--save", str(tmp_path / "saved"))
    assert "Pump stopped" in shown and "#alarm" in shown and "note.txt" in shown and "Stopped at 04:00." in shown
    assert (tmp_path / "saved" / "note.txt").read_text() == "attached"

    assert shell.run("reply", entry_id, "Runs again.").split("\t")[1].endswith(f"/logs/{int(entry_id) + 1}\n")
    edited = shell.json("edit", entry_id, "--title", "Pump 1 stopped", "--remove-tag", "alarm")
    assert (edited["title"], edited["tags"], edited["source"]) == ("Pump 1 stopped", [], "Stopped at 04:00.\n")
    other = tmp_path / "other.txt"
    other.write_text("also attached")
    attached = shell.json("attach", entry_id, str(other))
    assert len(attached["attachments"]) == 2  # type: ignore[arg-type]

    lines = shell.run("search", "stopped", "-l", "operations", "--start", "1 hour").splitlines()
    assert [line.split("\t")[0] for line in lines if "Pump 1" in line] == [entry_id] and shell.code == 0
    assert lines[0].split("\t")[2:4] == ["user", "operations"]

    shell.run("export", str(tmp_path / "export"), "stopped")
    exported = [json.loads(line) for line in (tmp_path / "export" / "entries.ndjson").read_text().splitlines()]
    assert entry_id in [str(one["id"]) for one in exported]
    assert (tmp_path / "export" / "files" / entry_id / "note.txt").read_text() == "attached"


def test_exit_codes_say_what_happened(shell: Shell) -> None:
    def code(*arguments: str, **environment: str) -> int:
        shell.run(*arguments, **environment)
        return shell.code

    assert code("search", "zyzzyva", "-l", "operations") == 1
    assert code("post", "No logbook") == 2 and "--logbook" in shell.errors
    assert code("post", "No entry", "-l", "no-such", "--no-spool") == 3
    assert (
        code(
            "get",
            "999999",
        )
        == 4
    )
    assert code("post", "t", "-l", "operations", "--no-spool", LOGBOOK_PASSWORD="wrong") == 5
    assert code("get", "1", LOGBOOK_URL="not an address") == 2
    assert len(shell.errors.splitlines()) == 1 and "Traceback" not in shell.errors


def test_an_entry_waits_while_the_service_is_unreachable(shell: Shell, tmp_path: Path) -> None:
    closed = {"LOGBOOK_URL": "http://127.0.0.1:9/logbook"}
    assert shell.run("post", "Waits", "-l", "operations", **closed) == "" and shell.code == 0
    assert "1 entry waits" in shell.errors
    assert "Waits" in shell.run("spool", "list", **closed)
    shell.run("spool", "send", **closed)
    assert shell.code == 7
    shell.run("post", "Fails", "-l", "operations", "--no-spool", **closed)
    assert shell.code == 7
    shell.run("post", "Refused", "-l", "no-such")
    assert shell.code == 3 and "set aside" in shell.errors
    name, state, title, _ = shell.run("spool", "list").split("\t")
    assert (state, title) == ("refused", "Refused")
    shell.run("spool", "discard", name)
    assert shell.run("spool", "list") == ""


def without_credentials(shell: Shell) -> Shell:
    other = Shell(shell.environment["LOGBOOK_URL"])
    other.environment.pop("LOGBOOK_USER")
    other.environment.pop("LOGBOOK_PASSWORD")
    return other


def test_an_entry_without_credentials_waits_for_the_next_command_that_has_some(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "_DELAY", timedelta(0))
    title = f"Unsigned {tmp_path.parent.name}"
    unsigned = without_credentials(shell)
    assert unsigned.run("post", title, "-l", "operations") == ""
    assert unsigned.code == 5 and "1 entry waits" in unsigned.errors and "logbook spool send" in unsigned.errors
    assert title in shell.run("spool", "list") and title in unsigned.run("spool", "list")
    shell.run("spool", "send", LOGBOOK_PASSWORD="wrong")
    assert shell.code == 5 and title in shell.run("spool", "list")
    assert len(shell.run("spool", "send").splitlines()) == 1 and shell.code == 0
    assert shell.run("spool", "list") == "" and shell.run("spool", "send") == ""
    with Client(shell.environment["LOGBOOK_URL"], **USER) as client:
        [entry] = [one for one in client.search(start=timedelta(hours=1)) if one.title == title]
        assert [event.name for event in entry.events] == ["written"]


def test_entries_of_a_token_or_another_user_are_not_taken_over(logbook_service: LogbookService) -> None:
    shell = Shell(logbook_service.url)
    token = without_credentials(shell)
    token.environment["LOGBOOK_TOKEN"] = "none"
    token.run("post", "Of a token", "-l", "operations")
    assert token.code == 5
    shell.run("post", "Of another user", "-l", "operations", LOGBOOK_USER="other")
    assert shell.code == 5
    assert shell.run("spool", "list") == ""


@pytest.mark.parametrize("tried", ["", "token 1234"])
def test_entries_that_version_1_0_0_stored_without_credentials_are_sent(
    shell: Shell, tmp_path: Path, tried: str
) -> None:
    """That version stored them in the spool of tokens, and recorded only the attempt of the first one."""
    token = without_credentials(shell)
    token.environment["LOGBOOK_TOKEN"] = "none"
    for title in ("First", "Second", "Third"):
        token.run("post", f"{title} {tmp_path.name}", "-l", "operations")
    [spool] = (tmp_path / "spool").iterdir()
    assert spool.name.startswith("token@")
    first, second, _ = sorted((spool / "waiting").iterdir())
    attempt = {"beganMs": 1_700_000_000_000, "events": [], "after": -1, "account": tried, "failures": 0}
    (first / "attempt.json").write_text(json.dumps(attempt))
    (second / "attempt.json").unlink()
    # File managers create such files.
    (spool / "waiting" / ".DS_Store").write_text("")
    sent = [line.split("\t")[1] for line in shell.run("spool", "send").splitlines()]
    assert (len(sent), shell.code, shell.errors) == (0 if tried else 2, 0, "")
    assert shell.run("spool", "send") == "" and shell.run("spool", "list") == ""
    left = [line.split("\t")[2].split()[0] for line in token.run("spool", "list").splitlines()]
    assert left == (["First", "Second", "Third"] if tried else ["Third"])
    with Client(shell.environment["LOGBOOK_URL"], **USER) as client:
        found = [one.title.split()[0] for one in client.search(sort="up") if one.title.endswith(f" {tmp_path.name}")]
        assert found == ([] if tried else ["First", "Second"])


def test_an_entry_of_wrong_credentials_waits_and_the_command_fails(shell: Shell) -> None:
    answer = shell.json("post", "Wrong", "-l", "operations", LOGBOOK_PASSWORD="wrong")
    assert answer["id"] is None and shell.code == 5 and "LOGBOOK_PASSWORD" in shell.errors
    shell.run("spool", "send")
    assert shell.code == 0 and shell.run("spool", "list") == ""


def test_a_command_does_not_wait_for_a_silent_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the deadline of the command ends the request, this test takes an hour."""
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "timeout", 3_600.0)
    monkeypatch.setattr(writing, "_MAX_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        shell = Shell(f"http://127.0.0.1:{silent.getsockname()[1]}/logbook")
        shell.run("post", "Silence", "-l", "operations")
    assert shell.code == 0 and "1 entry waits" in shell.errors


def test_an_old_service_gets_the_filters_of_the_box_as_parameters(olog_service: OlogService) -> None:
    shell = Shell(olog_service.url)
    made = shell.json("post", "Beam lost", "at SR:P1", "-l", "operations", "-t", "alarm")["id"]
    shell.run("post", "Pump", "at SR:P1", "-l", "operations")

    def found(*arguments: str) -> list[object]:
        return [json.loads(line)["id"] for line in shell.run("search", *arguments, "--json").splitlines()]

    assert found("title=beam") == found("tag=alarm") == found("SR:P1", 'title="beam lost"') == [made]
    assert found("text=SR:P1", "tags=alarm,other", "logbook=operations", 'start="2020-01-01 00:00:00.000"') == [made]
    assert found("tag=alarm", "-t", "other") == [made]
    assert found("SR:P1") != [made] and found("title=other") == [] and shell.code == 1
    for unknown in ("is:running", "has:attachment", "device=SR*", "titel=beam"):
        assert found(unknown) == [] and shell.code == 2 and unknown in shell.errors
    assert found("--", "-tag=alarm") == [] and shell.code == 2


def test_the_editor_writes_the_text(logbook_service: LogbookService, tmp_path: Path) -> None:
    shell = Shell(logbook_service.url)
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\necho 'from the editor' >> \"$1\"\n")
    editor.chmod(0o755)
    shell.environment["EDITOR"] = str(editor)
    created = shell.json("post", "Edited", "-l", "operations", "--editor")
    assert created["source"] == "from the editor\n"
    changed = shell.json("edit", str(created["id"]), "--editor")
    assert changed["source"] == "from the editor\nfrom the editor\n"


def test_an_empty_text_of_the_editor_is_not_sent(logbook_service: LogbookService) -> None:
    shell = Shell(logbook_service.url)
    assert shell.run("post", "Empty", "-l", "operations", "-e", EDITOR="true") == ""
    assert shell.code == 2 and "empty" in shell.errors
    shell.run("post", "Empty", "-l", "operations", "-e", EDITOR="/no/such/editor")
    assert shell.code == 2 and "/no/such/editor cannot be started" in shell.errors
    assert shell.json("post", "Template", "given", "-l", "operations", "-e", EDITOR="true")["source"] == "given"


def test_text_on_the_standard_input_that_is_not_read_is_mentioned(logbook_service: LogbookService) -> None:
    environment = {**os.environ, **Shell(logbook_service.url).environment}
    command = [sys.executable, "-m", "logbook_client", "post", "Piped", "-l", "operations"]

    def run(*arguments: str, text: str) -> str:
        done = subprocess.run(
            [*command, *arguments], env=environment, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert done.returncode == 0
        return done.stderr

    assert "standard input was not read" in run(text="piped")
    assert run("-", text="piped") == run("", text="piped") == run(text="") == ""


def test_a_text_from_the_standard_input_has_a_maximum_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_MAX_BYTES", 10)
    shell = Shell("http://127.0.0.1:9/logbook")
    shell.run("post", "Endless", "-", "-l", "operations", text="x" * 11)
    assert shell.code == 2 and "Attach it as a file" in shell.errors


def test_completion_is_installed_for_the_named_shell(tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "SHELL": "/bin/bash"}
    command = [sys.executable, "-m", "logbook_client", "--install-completion", "fish"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "fish" in done.stdout, done.stderr
    assert [file.suffix for file in tmp_path.rglob("*") if file.is_file()] == [".fish"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_an_output_that_cannot_be_written_does_not_hide_that_the_entry_is_stored(
    logbook_service: LogbookService,
) -> None:
    environment = {**os.environ, **Shell(logbook_service.url).environment}
    command = [sys.executable, "-m", "logbook_client", "post", "Full", "-l", "operations"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True)
    with Client(logbook_service.url, **USER) as client:
        newest = next(iter(client.search(title="Full", limit=1)))
    assert done.returncode == 8 and f"Entry {newest.id} is stored" in done.stderr


def test_an_export_that_finds_nothing_keeps_the_earlier_one(shell: Shell, tmp_path: Path) -> None:
    shell.run("post", "Exported", "-l", "operations")
    shell.run("export", str(tmp_path / "saved"), "-l", "operations", "--no-files")
    before = (tmp_path / "saved" / "entries.ndjson").read_text()
    shell.run("export", str(tmp_path / "saved"), "zyzzyva")
    assert shell.code == 1 and "nothing is saved" in shell.errors and before != ""
    assert [file.read_text() for file in (tmp_path / "saved").iterdir()] == [before]


def test_a_search_excludes_what_has_a_minus(logbook_service: LogbookService) -> None:
    shell = Shell(logbook_service.url)
    shell.run("post", "Excluded zq7", "-l", "operations", "-t", "alarm")
    shell.run("post", "Kept zq7", "-l", "controls")
    for part in ("-logbook=operations", "-tag=alarm"):
        assert [line.split("\t")[4] for line in shell.run("search", "zq7", part, "-n", "5").splitlines()] == ["Kept zq7"]
    assert len(shell.run("search", "-is:automatic", "zq7").splitlines()) == 2 and shell.code == 0


def test_messages_name_the_address_and_the_file_and_come_once(shell: Shell, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "logbook_client", "post", "Refused", "-l", "no-such"],
        env={**os.environ, **shell.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 3 and done.stderr.count("set aside") == 1
    shell.run("post", "Waits", "-l", "operations", LOGBOOK_URL="http://127.0.0.1:9/logbook")
    assert "http://127.0.0.1:9 cannot be reached" in shell.errors
    (tmp_path / "netrc").write_bytes(b"\xff\xfe machine")
    shell.environment.pop("LOGBOOK_PASSWORD")
    shell.run("search")
    assert shell.code == 2 and str(tmp_path / "netrc") in shell.errors


def test_the_clipboard_is_read_with_the_program_of_the_desktop(logbook_service: LogbookService, tmp_path: Path) -> None:
    shell = Shell(logbook_service.url)
    program = tmp_path / "wl-paste"
    program.write_text("#!/bin/sh\nprintf 'from the clipboard'\n")
    program.chmod(0o755)
    shell.environment["PATH"] = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    assert shell.json("post", "Pasted", "-l", "operations", "--clipboard")["source"] == "from the clipboard"


def test_follow_continues_where_it_ended(logbook_service: LogbookService, tmp_path: Path) -> None:
    shell = Shell(logbook_service.url)
    state = str(tmp_path / "position")
    (tmp_path / "position").write_text("0")
    made = [shell.json("post", f"Seen {number}", "-l", "controls")["id"] for number in range(2)]
    lines = [shell.run("follow", "Seen", "--state", state, "--count", "1", "--json") for _ in range(2)]
    assert [json.loads(line)["entry"]["id"] for line in lines] == made


def test_a_command_of_the_service_is_refused_with_the_path_of_its_program(shell: Shell, tmp_path: Path) -> None:
    program = tmp_path / "logbook"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for arguments in (["backup"], ["mcp"], ["export", "out.zip", "--data-dir", "data"]):
        shell.run(*arguments, PATH=str(tmp_path))
        assert shell.code == 2
        assert "is a command of the service" in shell.errors and str(program) in " ".join(shell.errors.split())


def test_terminals_get_no_commands_from_an_entry(shell: Shell) -> None:
    shell.run("post", "Bell", "\x1b]0;title\x07 text", "-l", "operations")
    shown = shell.run("search", "-n", "1") + shell.run("get", shell.run("search", "-n", "1").split("\t")[0])
    assert "\x1b" not in shown and "\x07" not in shown and " text" in shown


def test_help_has_each_command_and_version() -> None:
    shell = Shell("http://127.0.0.1:9/logbook")
    text = shell.run("--help")
    for name in (
        "post",
        "reply",
        "edit",
        "search",
        "get",
        "follow",
        "attach",
        "export",
        "spool",
        "--install-completion",
    ):
        assert name in text
    assert shell.run("--version").startswith("logbook-client ")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion(name: str) -> None:
    shell = Shell("http://127.0.0.1:9/logbook")
    assert "logbook" in shell.run(_LOGBOOK_COMPLETE=f"source_{name}")
    words = {"COMP_WORDS": "logbook se", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "logbook se"}
    completed = shell.run(_LOGBOOK_COMPLETE=f"complete_{name}", _TYPER_COMPLETE_FISH_ACTION="get-args", **words)
    assert "search" in completed and "post" not in completed


def test_commands_load_no_more_than_they_need() -> None:
    """The loaded modules decide how fast a command starts. They do not depend on the speed of the machine."""
    script = "import sys; import logbook_client.cli; print(*sorted(sys.modules))"
    loaded = set(subprocess.check_output([sys.executable, "-c", script]).decode().split())
    assert not loaded & {"httpx", "pydantic", "rich", "markdown_it", "IPython"}
    script = "import sys; from logbook_client.client import Client; print(*sorted(sys.modules))"
    loaded = set(subprocess.check_output([sys.executable, "-c", script]).decode().split())
    assert not loaded & {"rich", "typer", "markdown_it", "pygments", "IPython", "asyncio"}


def test_a_reader_that_ends_early_is_no_error(logbook_service: LogbookService) -> None:
    """As with `logbook search | head`, whether the output fails in the middle or at its end."""
    environment = {**os.environ, **Shell(logbook_service.url).environment}
    for size in (100, 20_000):
        with Client(logbook_service.url, **USER) as client:
            client.post("pipe", "x" * size, logbooks="controls")
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "logbook_client", "search", "pipe", "-n", "1", "--json"]
        done = subprocess.run(command, env=environment, stdout=writing, stderr=subprocess.PIPE, timeout=120)
        os.close(writing)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_character_that_the_terminal_lacks_does_not_end_a_command(logbook_service: LogbookService) -> None:
    shell = Shell(logbook_service.url)
    created = shell.json("post", "Strom → 0 😀", "a\u2028b\x9bc", "-l", "operations", encoding="ascii")
    assert (shell.code, created["title"], created["source"]) == (0, "Strom → 0 😀", "a\u2028b\x9bc")
    shown = shell.run("get", str(created["id"]), encoding="ascii")
    assert shell.code == 0 and r"Strom \u2192 0" in shown
    assert len(shell.run("get", str(created["id"]), "--json").splitlines()) == 1


def test_a_text_in_another_encoding_is_not_lost(logbook_service: LogbookService) -> None:
    shell = Shell(logbook_service.url)
    created = shell.json("post", "Latin", "-", "-l", "operations", text="Störung\r\n".encode("latin-1"))
    assert str(created["source"]).startswith("St") and str(created["source"]).endswith("rung\n")
    created = shell.json("post", "With a mark", "-", "-l", "operations", text="\ufeffStörung".encode())
    assert created["source"] == "Störung"


def test_a_text_from_the_editor_is_kept_when_it_cannot_be_sent(
    logbook_service: LogbookService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shell = Shell(logbook_service.url)
    editor = tmp_path / "editor.sh"
    editor.write_text(f"#!/bin/sh\ntouch {tmp_path}/opened\necho 'a long text' > \"$1\"\n")
    editor.chmod(0o755)
    shell.environment["EDITOR"] = str(editor)
    shell.run("post", "Without a logbook", "--editor")
    assert shell.code == 2 and not (tmp_path / "opened").exists()
    shell.run("post", "Kept", "-l", "operations", "--editor", "--no-spool", LOGBOOK_PASSWORD="wrong")
    assert shell.code == 5
    kept = Path(shell.errors.split("Your text is in ")[1].strip())
    assert kept.read_text() == "a long text\n"
    entry_id = str(shell.json("post", "Sent", "text", "-l", "operations")["id"])
    others = f"{sys.executable} -m logbook_client edit {entry_id} other"
    editor.write_text(f"#!/bin/sh\n{others}\necho mine > \"$1\"\n")
    shell.run("edit", entry_id, "--editor")
    assert shell.code == 6 and Path(shell.errors.split("Your text is in ")[1].strip()).read_text() == "mine\n"
    shell.environment["EDITOR"] = "false"
    shell.run("edit", entry_id, "--editor")
    assert shell.code == 2 and "Your text" not in shell.errors


def test_an_edit_in_the_editor_does_not_remove_what_was_appended_to_a_run(
    logbook_service: LogbookService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    shell = Shell(logbook_service.url)
    with Client(logbook_service.url, **USER) as client:
        run = client.run("Scan", "opened", logbooks="operations", key="edited in the editor")
        append = "Client().run('Scan', 'opened', logbooks='operations', key='edited in the editor').append('trip')"
        editor = tmp_path / "editor.sh"
        script = f'{sys.executable} -c "from logbook_client import Client; {append}"'
        editor.write_text(f"#!/bin/sh\n{script}\necho note >> $1\n")
        editor.chmod(0o755)
        shell.environment["EDITOR"] = str(editor)
        shell.run("edit", str(run.entry.id), "--editor")
        assert shell.code == 6 and "note" in Path(shell.errors.split("Your text is in ")[1].strip()).read_text()
        assert run.close().text == "opened\n\ntrip"


def test_an_entry_is_sent_directly_when_the_disk_does_not_take_it(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    created = shell.json("post", "Direct", "-l", "operations", LOGBOOK_SPOOL=str(tmp_path / "file"))
    assert shell.code == 0 and created["title"] == "Direct" and "sent without being stored" in shell.errors


def test_errors_of_this_computer_have_codes_of_their_own(shell: Shell, tmp_path: Path) -> None:
    shell.run("spool", "send", LOGBOOK_SPOOL=str(tmp_path / "spool"))
    (directory,) = (tmp_path / "spool").iterdir()
    (directory / "send.lock").unlink()
    (directory / "send.lock").mkdir()
    shell.run("post", "Stored", "-l", "operations", LOGBOOK_SPOOL=str(tmp_path / "spool"))
    assert shell.code == 0 and "1 entry waits" in shell.errors
    shell.run("spool", "send", LOGBOOK_SPOOL=str(tmp_path / "spool"))
    assert shell.code == 8
    shell.run("post", "No file", "-l", "operations", "-a", str(tmp_path / "missing"))
    assert shell.code == 2 and "missing is not a file" in shell.errors
    lock = FileLock(tmp_path / "position.lock")
    assert lock.acquire()
    shell.run("follow", "--state", str(tmp_path / "position"))
    lock.release()
    assert shell.code == 3 and "Another process follows" in shell.errors


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_the_exit_code_says_what_happened_although_the_message_cannot_be_written(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "logbook_client", "search", "word"]
    environment = {**os.environ, "LOGBOOK_URL": "http://127.0.0.1:1/logbook"}
    with open("/dev/full", "w") as full:
        assert subprocess.run(command, env=environment, stderr=full, timeout=60).returncode == 7


def test_files_whose_names_are_alike_are_all_saved(shell: Shell, service: Service, tmp_path: Path) -> None:
    with Client(service.url, **USER) as client:
        files = [("a.txt.part", b"first"), ("a.txt", b"second")]
        entry = client.post("Alike", "", logbooks="operations", files=files)
    shell.run("get", str(entry.id), "--save", str(tmp_path / "saved"))
    saved = {file.name: file.read_bytes() for file in (tmp_path / "saved").iterdir()}
    assert saved == dict(files)
