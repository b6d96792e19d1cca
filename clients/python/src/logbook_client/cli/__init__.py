"""The command line. Modules that take long to load are loaded by the commands that need them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, NoReturn, Optional, Tuple

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from .client import Client
    from .entry import Entry
    from .spool import SpooledEntry, SpoolReport

NOTHING_FOUND = 1
REFUSED = 3
NOT_FOUND = 4
SIGN_IN_FAILED = 5
EDIT_CONFLICT = 6
UNREACHABLE = 7

#: Commands of the service, whose program has the same name.
_SERVICE_COMMANDS = (
    "serve init config check doctor health rebuild-index adopt migrate backup prune-backups restore verify copy import "
    "signing-key checkpoint stamp prove check-proof"
).split()


class UsageProblem(ValueError):
    """A command line that cannot be carried out."""


class _Commands(TyperGroup):
    """The commands. One of the service is not taken for a typing error."""

    def resolve_command(self, ctx: Any, args: List[str]) -> Any:
        is_of_service = args[0] in _SERVICE_COMMANDS or (
            args[0] == "export" and any(one.startswith(("--data-dir", "--config")) for one in args)
        )
        if is_of_service:
            raise UsageProblem(f"“{args[0]}” is a command of the service, and this is its client. {_other_program()}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Write to and read from a Logbook or an Olog service.",
    epilog=(
        "Exit codes: 0 done, 1 nothing found, 2 wrong usage, 3 refused, 4 no such entry, 5 sign-in failed, "
        "6 edited by somebody else, 7 unreachable."
    ),
)
spool_app = typer.Typer(help="Entries that wait on this computer, or that were refused.", no_args_is_help=True)
app.add_typer(spool_app, name="spool")


class _Connection:
    """Options of all commands."""

    url: Optional[str] = None
    user: Optional[str] = None


def _show_version(value: bool) -> None:
    if value:
        from . import __version__

        typer.echo(f"logbook-client {__version__}")
        raise typer.Exit()


@app.callback()
def _connect(
    url: Optional[str] = typer.Option(None, help="Address with the root path.  [LOGBOOK_URL]"),
    user: Optional[str] = typer.Option(None, help="User, whose password is in the file netrc.  [LOGBOOK_USER]"),
    _version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    _Connection.url, _Connection.user = url, user


TEXT = typer.Argument(None, help="The text, with markup; `-` reads it from the standard input.")
LOGBOOKS = typer.Option([], "--logbook", "-l", help="Logbook; can be repeated.  [LOGBOOK_LOGBOOKS]")
TAGS = typer.Option([], "--tag", "-t", help="Tag; can be repeated.")
LEVEL = typer.Option(None, "--level", "-L", help="Level.")
PROPERTIES = typer.Option([], "--property", "-p", help="NAME.ATTRIBUTE=VALUE; can be repeated.")
FILES = typer.Option([], "--attach", "-a", help="File to attach; can be repeated.")
EDITOR = typer.Option(False, "--editor", "-e", help="Write the text in your editor.")
CLIPBOARD = typer.Option(False, "--clipboard", "-c", help="Take the text from the clipboard.")
PLAIN = typer.Option(False, "--plain", help="The text has no markup.")
JSON = typer.Option(False, "--json", help="Print JSON, one object a line.")
DIRECT = typer.Option(False, "--no-spool", help="Fail when the service is unreachable, and do not keep the entry.")
QUERY = typer.Argument(None, help="Words, and filters such as tag=alarm, as in the search box.")
START = typer.Option(None, help="From this time on, such as '2 hours' or '2026-03-01 06:00'.")
END = typer.Option(None, help="Until this time.")
OWNER = typer.Option([], help="Owner; can be repeated.")


@app.command()
def post(
    title: str = typer.Argument(..., help="The title."),
    text: Optional[str] = TEXT,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: Optional[str] = LEVEL,
    prop: List[str] = PROPERTIES,
    attach: List[str] = FILES,
    editor: bool = EDITOR,
    clipboard: bool = CLIPBOARD,
    plain: bool = PLAIN,
    no_spool: bool = DIRECT,
    as_json: bool = JSON,
) -> None:
    """Create an entry. While the service is unreachable, the entry waits on this computer."""
    body = _read_text(text, editor, clipboard)
    fields = _fields(logbook or _default_logbooks(), tag, level, prop, attach, plain)
    _create(title, body, fields, no_spool, as_json)


@app.command()
def reply(
    entry_id: int = typer.Argument(..., help="Id of the entry to reply to."),
    text: Optional[str] = TEXT,
    title: Optional[str] = typer.Option(None, help="Title; by default that of the entry, after “Re:”."),
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: Optional[str] = LEVEL,
    prop: List[str] = PROPERTIES,
    attach: List[str] = FILES,
    editor: bool = EDITOR,
    clipboard: bool = CLIPBOARD,
    plain: bool = PLAIN,
    no_spool: bool = DIRECT,
    as_json: bool = JSON,
) -> None:
    """Reply to an entry, in its logbooks unless others are given."""
    body = _read_text(text, editor, clipboard)
    names: List[str] = logbook
    if not (title and names):
        from .client import reply_title

        with _client() as client:
            parent = client.get(entry_id)
        title, names = title or reply_title(parent), names or parent.logbook_names
    fields = {**_fields(names, tag, level, prop, attach, plain), "reply_to": entry_id}
    _create(title, body, fields, no_spool, as_json)


@app.command()
def edit(
    entry_id: int = typer.Argument(..., help="Id of the entry."),
    text: Optional[str] = TEXT,
    title: Optional[str] = typer.Option(None, help="New title."),
    logbook: List[str] = typer.Option([], "--logbook", "-l", help="Logbook, in place of the present ones."),
    add_tag: List[str] = typer.Option([], help="Tag to add."),
    remove_tag: List[str] = typer.Option([], help="Tag to remove."),
    level: Optional[str] = LEVEL,
    prop: List[str] = PROPERTIES,
    editor: bool = typer.Option(False, "--editor", "-e", help="Change the text in your editor."),
    clipboard: bool = CLIPBOARD,
    as_json: bool = JSON,
) -> None:
    """Change an entry; its previous version is kept. Fails with 6 if somebody edits it while your editor is open."""
    changes: dict[str, Any] = {"title": title, "level": level}
    lists = {"logbooks": logbook, "add_tags": add_tag, "remove_tags": remove_tag, "properties": _properties(prop)}
    changes.update((name, value) for name, value in lists.items() if value)
    with _client() as client:
        entry: Any = entry_id
        if editor:
            entry = client.get(entry_id)
            changes["text"] = _edit_text(entry.text)
        elif text is not None or clipboard:
            changes["text"] = _read_text(text, False, clipboard)
        given = {name: value for name, value in changes.items() if value is not None}
        if not given:
            raise UsageProblem("Nothing to change: give a text, --editor, --title, --add-tag or another option.")
        _print_written(client.edit(entry, **given), as_json)


@app.command()
def attach(
    entry_id: int = typer.Argument(..., help="Id of the entry."),
    files: List[str] = typer.Argument(..., help="Files to add."),
    as_json: bool = JSON,
) -> None:
    """Add files to an entry."""
    with _client() as client:
        _print_written(client.attach(entry_id, *files), as_json)


@app.command()
def get(
    entry_id: int = typer.Argument(..., help="Id of the entry."),
    save: Optional[Path] = typer.Option(None, help="Save the files of the entry in this directory."),
    as_json: bool = JSON,
) -> None:
    """Show an entry."""
    with _client() as client:
        entry = client.get(entry_id)
        if save is not None:
            save.mkdir(parents=True, exist_ok=True)
            for attachment in entry.attachments:
                typer.echo(str(client.save_file(attachment, save)), err=True)
    if as_json:
        _print_json(entry)
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console()
        console.print(_facts(entry), style="bold", highlight=False, markup=False)
        console.print(Markdown(_printable(entry.text)))
    else:
        typer.echo(f"{_facts(entry)}\n\n{_printable(entry.text)}")


@app.command()
def search(
    query: Optional[List[str]] = QUERY,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: List[str] = typer.Option([], "--level", "-L", help="Level; can be repeated."),
    owner: List[str] = OWNER,
    start: Optional[str] = START,
    end: Optional[str] = END,
    limit: int = typer.Option(20, "--limit", "-n", help="Number of entries; 0: all."),
    oldest_first: bool = typer.Option(False, help="Begin with the oldest."),
    as_json: bool = JSON,
) -> None:
    """Find entries, newest first. Exits with 1 if there are none, as grep does."""
    with _client() as client:
        conditions = _conditions(client, query, logbook, tag, level, owner, start, end)
        count = 0
        for entry in client.search(sort="up" if oldest_first else "down", limit=limit or None, **conditions):
            count += 1
            _print_line(entry, as_json)
    if count == 0:
        raise typer.Exit(NOTHING_FOUND)


@app.command()
def follow(
    query: Optional[List[str]] = QUERY,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: List[str] = typer.Option([], "--level", "-L", help="Level; can be repeated."),
    owner: List[str] = OWNER,
    state: Optional[Path] = typer.Option(None, help="File with the position, from which the next run continues."),
    count: int = typer.Option(0, "--count", "-n", help="End after this number of changes; 0: never."),
    as_json: bool = JSON,
) -> None:
    """Print changes as they happen, each once."""
    with _client() as client:
        conditions = _conditions(client, query, logbook, tag, level, owner, None, None)
        seen = 0
        changes = client.follow(state=state, **conditions)
        for change in changes:
            if as_json:
                shown = None if change.entry is None else change.entry.model_dump(mode="json")
                _write(
                    json.dumps({"kind": change.kind, "position": change.position, "entry": shown}, ensure_ascii=False)
                )
            elif change.entry is None:
                _write(change.kind)
            else:
                _write(f"{change.kind}\t{_line(change.entry)}")
            sys.stdout.flush()
            seen += 1
            if seen == count:
                # The position moves when the next change is asked for; this one is printed.
                if state is not None:
                    from .durable import write_durably

                    changes.close()  # type: ignore[attr-defined]
                    write_durably(state, change.position.encode())
                return


@app.command()
def export(
    target: Path = typer.Argument(..., help="Directory for entries.ndjson and the files."),
    query: Optional[List[str]] = QUERY,
    logbook: List[str] = LOGBOOKS,
    tag: List[str] = TAGS,
    level: List[str] = typer.Option([], "--level", "-L", help="Level; can be repeated."),
    owner: List[str] = OWNER,
    start: Optional[str] = START,
    end: Optional[str] = END,
    files: bool = typer.Option(True, help="Save the files, too."),
) -> None:
    """Save what a search finds, oldest first: one JSON object a line, and the files by the id of their entry."""
    target.mkdir(parents=True, exist_ok=True)
    part = target / "entries.ndjson.part"
    count = 0
    with _client() as client, part.open("w", encoding="utf-8") as output:
        conditions = _conditions(client, query, logbook, tag, level, owner, start, end)
        for entry in client.search(sort="up", page_size=500, **conditions):
            output.write(_to_json(entry) + "\n")
            count += 1
            for attachment in entry.attachments if files else []:
                directory = target / "files" / str(entry.id)
                directory.mkdir(parents=True, exist_ok=True)
                client.save_file(attachment, directory)
    os.replace(part, target / "entries.ndjson")
    typer.echo(f"{count} entries in {target}", err=True)


@spool_app.command("list")
def spool_list(as_json: bool = JSON) -> None:
    """List entries that wait or were refused."""
    with _client() as client:
        for item in [*client.spool.list("waiting"), *client.spool.list("refused")]:
            if as_json:
                shown = {"name": item.name, "state": item.state, "title": item.title, "refusal": item.refusal}
                _write(json.dumps(shown, ensure_ascii=False))
            else:
                _write("\t".join([item.name, item.state, _printable(item.title), _printable(item.refusal or "")]))


@spool_app.command("send")
def spool_send() -> None:
    """Send what waits."""
    with _client() as client:
        report = client.spool.send(wait_seconds=10)
    for entry in report.sent.values():
        _print_written(entry, False)
    _report_spool(report)
    if report.refused:
        raise typer.Exit(REFUSED)
    if report.waiting:
        raise typer.Exit(_exit_code(report.problem) if report.problem else UNREACHABLE)


@spool_app.command("retry")
def spool_retry(name: str = typer.Argument(..., help="Name in the list.")) -> None:
    """Put a refused entry at the end of those that wait."""
    with _client() as client:
        _write(client.spool.retry(_refused(client, name)).name)


@spool_app.command("discard")
def spool_discard(name: str = typer.Argument(..., help="Name in the list.")) -> None:
    """Delete a refused entry for good."""
    with _client() as client:
        client.spool.discard(_refused(client, name))


def _client() -> Client:
    from .client import Client

    return Client(_Connection.url, user=_Connection.user)


def _create(title: str, text: str, fields: dict[str, Any], no_spool: bool, as_json: bool) -> None:
    with _client() as client:
        if no_spool:
            _print_written(client.post(title, text, **fields), as_json)
            return
        item = client.spool.add(title, text, fields)  # type: ignore[arg-type]
        report = client.spool.send(wait_seconds=10)
    _report_spool(report)
    if item.name in report.sent:
        _print_written(report.sent[item.name], as_json)
    elif item.state == "refused":
        raise typer.Exit(REFUSED)
    elif item.entry_id is not None:
        # Another process has sent it.
        _write(json.dumps({"id": item.entry_id}) if as_json else str(item.entry_id))
    elif as_json:
        _write(json.dumps({"id": None, "spooled": item.name}))


def _report_spool(report: SpoolReport) -> None:
    for refused in report.refused:
        _complain(
            f"“{refused.title}” was refused: {refused.refusal} It is set aside as {refused.name} (logbook spool list)."
        )
    if report.waiting:
        reason = f": {report.problem}" if report.problem else "; another process is sending."
        count = "1 entry waits" if report.waiting == 1 else f"{report.waiting} entries wait"
        _complain(f"{count} on this computer, to be sent by the next command{reason}")


def _refused(client: Client, name: str) -> SpooledEntry:
    found = [item for item in client.spool.list("refused") if item.name == name]
    if not found:
        raise UsageProblem(f"No refused entry has the name {name!r}: see logbook spool list.")
    return found[0]


def _fields(
    logbooks: List[str], tags: List[str], level: Optional[str], properties: List[str], files: List[str], plain: bool
) -> dict[str, Any]:
    if not logbooks:
        raise UsageProblem("Give a logbook with --logbook, or LOGBOOK_LOGBOOKS in the environment.")
    fields: dict[str, Any] = {"logbooks": logbooks, "tags": tags, "properties": _properties(properties), "files": files}
    if level:
        fields["level"] = level
    if plain:
        fields["markup"] = "none"
    return fields


def _default_logbooks() -> List[str]:
    return [name.strip() for name in os.environ.get("LOGBOOK_LOGBOOKS", "").split(",") if name.strip()]


def _properties(given: List[str]) -> dict[str, dict[str, str]]:
    properties: dict[str, dict[str, str]] = {}
    for one in given:
        name, equals, value = one.partition("=")
        property_name, dot, attribute = name.partition(".")
        if not (equals and dot and property_name and attribute):
            raise UsageProblem(f"Write a property as NAME.ATTRIBUTE=VALUE, not {one!r}.")
        properties.setdefault(property_name, {})[attribute] = value
    return properties


def _conditions(
    client: Client,
    query: Optional[List[str]],
    logbooks: List[str],
    tags: List[str],
    levels: List[str],
    owners: List[str],
    start: Optional[str],
    end: Optional[str],
) -> dict[str, Any]:
    words = " ".join(query or [])
    # An Olog service has no search box, but words of the text.
    name = "query" if words and client.capabilities().streams_changes else "text"
    given = {
        name: words,
        "logbooks": logbooks,
        "tags": tags,
        "level": levels,
        "owner": owners,
        "start": start,
        "end": end,
    }
    return {key: value for key, value in given.items() if value}


def _read_text(text: Optional[str], editor: bool, clipboard: bool) -> str:
    if text == "-":
        return sys.stdin.read()
    if clipboard:
        return _read_clipboard()
    if editor:
        return _edit_text(text or "")
    return text or ""


def _edit_text(text: str) -> str:
    """The text as the editor leaves it. An editor that fails, such as `:cq` in vim, sends nothing."""
    import shlex
    import tempfile

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi")
    with tempfile.TemporaryDirectory(prefix="logbook-") as directory:
        file = Path(directory, "entry.md")
        file.write_text(text, encoding="utf-8")
        if subprocess.run([*shlex.split(editor), str(file)]).returncode != 0:
            raise UsageProblem(f"{editor} failed; nothing was sent.")
        return file.read_text("utf-8")


def _read_clipboard() -> str:
    programs = [
        ["wl-paste", "--no-newline"],
        ["xclip", "-selection", "clipboard", "-out"],
        ["xsel", "--clipboard", "--output"],
        ["pbpaste"],
        ["powershell.exe", "-NoProfile", "-Command", "Get-Clipboard -Raw"],
    ]
    for program in programs:
        if shutil.which(program[0]):
            done = subprocess.run(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10)
            if done.returncode == 0:
                return done.stdout.decode(errors="replace")
    raise UsageProblem("The clipboard cannot be read: install wl-clipboard, xclip or xsel, or pipe the text to `-`.")


def _print_written(entry: Entry, as_json: bool) -> None:
    if as_json:
        _print_json(entry)
    else:
        _write(f"{entry.id}\t{entry.url}")


def _print_line(entry: Entry, as_json: bool) -> None:
    if as_json:
        _print_json(entry)
    else:
        _write(_line(entry))


def _line(entry: Entry) -> str:
    created = entry.created.astimezone().isoformat(sep=" ", timespec="minutes")
    parts = [str(entry.id), created, entry.owner, ",".join(entry.logbook_names), entry.title]
    return "\t".join(_printable(part).replace("\t", " ").replace("\n", " ") for part in parts)


def _facts(entry: Entry) -> str:
    tags = "".join(f"  #{name}" for name in entry.tag_names)
    files = "".join(f"\n  {_printable(one.filename)}" for one in entry.attachments)
    created = f"{entry.created.astimezone():%Y-%m-%d %H:%M}"
    logbooks = ", ".join(entry.logbook_names)
    return _printable(f"{entry.title}\n#{entry.id}  {created}  {entry.owner}  {entry.level}  {logbooks}{tags}") + files


def _print_json(entry: Entry) -> None:
    _write(_to_json(entry))


def _to_json(entry: Entry) -> str:
    return json.dumps(entry.model_dump(mode="json"), ensure_ascii=False)


def _printable(text: str) -> str:
    """Text without signs that a terminal takes for commands."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")


def _complain(message: str) -> None:
    typer.echo(f"logbook: {_printable(message)}", err=True)


def _other_program() -> str:
    """Where the program of the service is, if it is installed here."""
    own = os.path.realpath(sys.argv[0])
    folders = os.environ.get("PATH", "").split(os.pathsep)
    others = [
        path for folder in folders if (path := shutil.which("logbook", path=folder)) and os.path.realpath(path) != own
    ]
    return f"The program of the service is {others[0]}." if others else "The service is not installed on this computer."


def _exit_code(error: Exception) -> int:
    from .errors import EditConflict, NotFound, SignInFailed, Unreachable

    kinds: List[Tuple[type, int]] = [
        (EditConflict, EDIT_CONFLICT),
        (NotFound, NOT_FOUND),
        (SignInFailed, SIGN_IN_FAILED),
        (Unreachable, UNREACHABLE),
    ]
    return next((code for kind, code in kinds if isinstance(error, kind)), REFUSED)


def main() -> NoReturn:
    """Runs a command. Errors for people go to standard error, in one line."""
    from .errors import LogbookError

    name = Path(sys.argv[0]).stem
    try:
        # Completion is for the name under which the program was called.
        app(prog_name="logbook" if name == "__main__" else name)
    except (LogbookError, ValueError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            # The reader of the output has ended, such as `head`.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        _complain(str(error))
        sys.exit(_exit_code(error) if isinstance(error, LogbookError) else 2)
    sys.exit(0)
