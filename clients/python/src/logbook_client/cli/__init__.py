"""The command line. Modules that take long to load are loaded by the commands that need them."""

from __future__ import annotations

import gc
import io
import os
import sys
from pathlib import Path
from typing import NoReturn

# These modules register their commands, in the order of the help.
from . import writing, reading, spooling, signing  # noqa: F401, I001
from .output import complain, stored
from .program import DISK_FAILED, OutputClosed, app, exit_code
from .texts import report_unsaved


def main() -> NoReturn:
    """Runs a command. Errors for people go to standard error, in one line."""
    # Commands end soon, and start faster without frequent collections and a search for plugins.
    gc.set_threshold(50_000)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    _prepare_streams()
    stored.clear()
    if sys.argv[1:2] in (["--install-completion"], ["--show-completion"]) and len(sys.argv) > 2:
        # Typer then takes the name of the shell from the command line.
        os.environ["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    code = 0
    try:
        code = _run()
        sys.stdout.flush()
    except (OutputClosed, OSError) as error:
        # At exit, Python would try once more to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, (OutputClosed, BrokenPipeError)):
            complain(" ".join([f"The output cannot be written: {error}.", *stored]))
            code = DISK_FAILED
    sys.exit(code)


def _run() -> int:
    """Returns the exit code."""
    from ..errors import LogbookError

    name = Path(sys.argv[0]).stem
    try:
        # Completion is for the name under which the program was called.
        app(prog_name="logbook" if name == "__main__" else name)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except (LogbookError, ValueError, OSError) as error:
        complain(" ".join([f"{error}.", *stored]) if stored else str(error))
        return exit_code(error)
    finally:
        report_unsaved()
    return 0


def _prepare_streams() -> None:
    """Makes output possible on any terminal: a title with a character that it lacks must not end a command."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
