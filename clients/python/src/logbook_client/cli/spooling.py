"""Commands for the entries that wait on this computer, or that are set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from .output import complain, printable, write, write_json, write_result
from .program import JSON, REFUSED, UNREACHABLE, UsageProblem, app, connect, exit_code

if TYPE_CHECKING:
    from ..client import Client
    from ..spooled import SpooledEntry, SpoolReport

spool_app = typer.Typer(help="Entries that wait on this computer, or that are set aside.", no_args_is_help=True)
app.add_typer(spool_app, name="spool")


@spool_app.command("list")
def list_entries(as_json: bool = JSON) -> None:
    """List entries that wait, or that were refused or failed and are set aside."""
    with connect() as client:
        for item in [*client.spool.list("waiting"), *client.spool.list("refused")]:
            if as_json:
                write_json({"name": item.name, "state": item.state, "title": item.title, "refusal": item.refusal})
            else:
                write("\t".join([item.name, item.state, printable(item.title), printable(item.refusal or "")]))


@spool_app.command("send")
def send() -> None:
    """Send what waits."""
    with connect() as client:
        report = client.spool.send(wait_seconds=10)
    for entry in report.sent.values():
        write_result(entry, False)
    report_spool(report)
    if report.refused:
        raise typer.Exit(REFUSED)
    if report.waiting or report.problem:
        raise typer.Exit(exit_code(report.problem) if report.problem else UNREACHABLE)


@spool_app.command("retry")
def retry(name: str = typer.Argument(..., help="Name in the list.")) -> None:
    """Put an entry that is set aside at the end of those that wait."""
    with connect() as client:
        write(client.spool.retry(_refused(client, name)).name)


@spool_app.command("discard")
def discard(name: str = typer.Argument(..., help="Name in the list.")) -> None:
    """Delete an entry that is set aside. This cannot be undone."""
    with connect() as client:
        client.spool.discard(_refused(client, name))


def report_spool(report: SpoolReport) -> None:
    """Says what is set aside, and what waits."""
    from ..errors import SignInFailed

    for refused in report.refused:
        complain(f"“{refused.title}” is set aside as {refused.name} (logbook spool retry): {refused.refusal}")
    if report.waiting:
        reason = f": {report.problem}" if report.problem else "; another process is sending, or sending takes longer than this command waits."
        count = "1 entry waits" if report.waiting == 1 else f"{report.waiting} entries wait"
        complain(f"{count} on this computer, to be sent by the next command{reason}")
        if isinstance(report.problem, SignInFailed):
            complain(
                "Sign in with logbook sign-in, or give LOGBOOK_TOKEN, or LOGBOOK_USER and LOGBOOK_PASSWORD. "
                "Then send the entry with logbook spool send."
            )
    elif report.problem:
        complain(str(report.problem))


def _refused(client: Client, name: str) -> SpooledEntry:
    found = [item for item in client.spool.list("refused") if item.name == name]
    if not found:
        raise UsageProblem(f"No entry that is set aside has the name {name!r}: see logbook spool list.")
    return found[0]
