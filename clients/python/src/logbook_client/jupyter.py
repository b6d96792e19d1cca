"""The cell magic `%%logbook`: the cell is the text of an entry."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from .client import Client
from .entry import Entry
from .errors import LogbookError


def register(shell: Any) -> None:
    """Registers the magic in a shell of IPython; `%load_ext logbook_client` calls it."""
    shell.register_magic_function(_magic, magic_kind="cell", magic_name="logbook")


def _magic(line: str, cell: str) -> Entry:
    """Post the cell as an entry, and show it.

    %%logbook "Magnet trip" -l operations -t alarm -a plot.png
    """
    from IPython.core.error import UsageError

    try:
        return _post(line, cell)
    except (LogbookError, ValueError, OSError) as error:
        # The notebook shows only the message.
        raise UsageError(str(error)) from error


def _post(line: str, cell: str) -> Entry:
    given = _parser().parse_args(shlex.split(line))
    files = [_attachable(name) for name in given.attach]
    chosen = {"logbooks": given.logbook, "tags": given.tag, "level": given.level, "files": files}
    fields: Any = {name: value for name, value in chosen.items() if value}
    with Client(given.url) as client:
        if given.reply_to is not None:
            return client.reply(given.reply_to, cell, title=given.title, **fields)
        if not given.title:
            raise ValueError('Give the entry a title: %%logbook "Title" -l LOGBOOK')
        posted: Entry = client.post(given.title, cell, **fields)
        return posted


def _attachable(name: str) -> Any:
    """A variable of the notebook, such as a figure, or else a path."""
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()  # type: ignore[no-untyped-call]
    return shell.user_ns.get(name, name) if shell is not None else name


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise ValueError(f"%%logbook: {message}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%logbook", add_help=False)
    parser.add_argument("title", nargs="?")
    parser.add_argument("--logbook", "-l", action="append", default=[])
    parser.add_argument("--tag", "-t", action="append", default=[])
    parser.add_argument("--level", "-L")
    parser.add_argument("--attach", "-a", action="append", default=[])
    parser.add_argument("--reply-to", type=int)
    parser.add_argument("--url")
    return parser
