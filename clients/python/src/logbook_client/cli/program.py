"""The program: its commands are registered here, and its options and exit codes are those of all commands."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from ..client import Client

NOTHING_FOUND = 1
WRONG_USAGE = 2
REFUSED = 3
NOT_FOUND = 4
SIGN_IN_FAILED = 5
EDIT_CONFLICT = 6
UNREACHABLE = 7
DISK_FAILED = 8

#: Commands of the service, whose program has the same name.
_SERVICE_COMMANDS = (
    "serve init config check doctor health rebuild-index adopt migrate backup prune-backups restore verify copy import "
    "mcp signing-key checkpoint stamp prove check-proof"
).split()

#: An excluded filter of the search box.
_EXCLUSION = re.compile(r"-((owner|tag|logbook|level|device|title|attachment)s?=|propert(y|ies)=|is:|has:)")


class UsageProblem(ValueError):
    """A command line that cannot be carried out."""


class OutputClosed(Exception):
    """The reader of the output, such as `head`, has ended."""


class _Commands(TyperGroup):
    """The commands. A command of the service is not reported as a typo."""

    def resolve_command(self, ctx: Any, args: List[str]) -> Any:
        is_of_service = args[0] in _SERVICE_COMMANDS or (
            args[0] == "export" and any(one.startswith(("--data-dir", "--config")) for one in args)
        )
        if is_of_service:
            raise UsageProblem(f"“{args[0]}” is a command of the service, and this is its client. {_other_program()}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # The base class would end with 1, which means that nothing was found.
            raise OutputClosed from error


class SearchCommand(TyperCommand):
    """A command with a search, in which `-is:automatic` and `-tag=alarm` are not options."""

    def parse_args(self, ctx: Any, args: List[str]) -> List[str]:
        end = args.index("--") if "--" in args else len(args)
        excluded = [one for one in args[:end] if _EXCLUSION.match(one)]
        kept = [one for one in args[:end] if one not in excluded]
        return super().parse_args(ctx, [*kept, "--", *excluded, *args[end + 1 :]] if excluded else args)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Write to and read from a Logbook or an Olog service.",
    epilog=(
        "Exit codes: 0 done, 1 nothing found, 2 wrong usage, 3 refused, 4 no such entry, 5 sign-in failed, "
        "6 edited by somebody else, 7 unreachable, 8 a file or a disk of this computer failed."
    ),
)

LOGBOOKS = typer.Option([], "--logbook", "-l", help="Logbook; can be repeated.  [LOGBOOK_LOGBOOKS]")
TAGS = typer.Option([], "--tag", "-t", help="Tag; can be repeated.")
JSON = typer.Option(False, "--json", help="Print JSON, one object a line.")


class _Connection:
    """Options of all commands."""

    url: Optional[str] = None
    user: Optional[str] = None


def _show_version(value: bool) -> None:
    if value:
        from .. import __version__

        typer.echo(f"logbook-client {__version__}")
        raise typer.Exit()


@app.callback()
def _connect(
    url: Optional[str] = typer.Option(None, help="Address with the root path.  [LOGBOOK_URL]"),
    user: Optional[str] = typer.Option(None, help="User, whose password is in the file netrc.  [LOGBOOK_USER]"),
    _version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    _Connection.url, _Connection.user = url, user


def connect() -> Client:
    """A client with the options of the command line."""
    from ..client import Client

    return Client(_Connection.url, user=_Connection.user)


def exit_code(error: Exception) -> int:
    """The exit code that says what happened."""
    from ..errors import EditConflict, LogbookError, NotFound, SignInFailed, SpoolFailed, UnexpectedAnswer, Unreachable

    kinds: List[Tuple[type, int]] = [
        (EditConflict, EDIT_CONFLICT),
        (NotFound, NOT_FOUND),
        (SignInFailed, SIGN_IN_FAILED),
        (Unreachable, UNREACHABLE),
        (UnexpectedAnswer, UNREACHABLE),
        (SpoolFailed, DISK_FAILED),
        (LogbookError, REFUSED),
        (FileNotFoundError, WRONG_USAGE),
        (OSError, DISK_FAILED),
    ]
    return next((code for kind, code in kinds if isinstance(error, kind)), WRONG_USAGE)


def _other_program() -> str:
    """A sentence that gives the path of the service's program, or says that it is not installed here."""
    own = os.path.realpath(sys.argv[0])
    folders = os.environ.get("PATH", "").split(os.pathsep)
    others = [
        path for folder in folders if (path := shutil.which("logbook", path=folder)) and os.path.realpath(path) != own
    ]
    return f"The program of the service is {others[0]}." if others else "The service is not installed on this computer."
