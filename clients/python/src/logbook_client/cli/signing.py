"""Commands that sign a person in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, List

import typer

from .output import printable, write
from .program import NOTHING_FOUND, app, connect

if TYPE_CHECKING:
    from ..signing_in import SignInCode


@app.command("sign-in")
def sign_in(
    right: List[str] = typer.Option(["entries"], "--right", help="Right in addition to reading; can be repeated."),
    days: int = typer.Option(30, min=1, max=90, help="Days until you have to sign in again."),
) -> None:
    """Sign in with any browser, where the logbook uses OpenID Connect."""
    with connect() as client:
        signed_in = client.sign_in(_show, rights=right, days=days)
    write(f"Signed in as {printable(signed_in.user)} until {signed_in.expires.astimezone():%Y-%m-%d %H:%M}.")


@app.command("sign-out")
def sign_out() -> None:
    """End the sign-in of this computer. Exits with 1 if there is none."""
    with connect() as client:
        if not client.sign_out():
            raise typer.Exit(NOTHING_FOUND)


def _show(code: SignInCode) -> None:
    lines = [
        f"To sign in to {code.server}, open this address in any browser:",
        f"  {code.complete_url}",
        f"Confirm only if it shows the code {code.code}. The address without the code is {code.url}",
    ]
    for line in lines:
        typer.echo(printable(line), err=True)
