"""Texts of entries: from arguments, the standard input, the editor or the clipboard.

What is written in an editor stays in a file until the service or the spool has it.
"""

from __future__ import annotations

import locale
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional, Union

from .output import complain
from .program import UsageProblem

#: Maximum size of a text from the standard input.
_MAX_BYTES = 16 << 20

#: Files of the editor whose texts are stored nowhere else, with their texts before the edit.
_unsaved: Dict[Path, str] = {}


def read_text(text: Optional[str], editor: bool, clipboard: bool) -> str:
    if text == "-":
        return _read_standard_input()
    if clipboard:
        return _read_clipboard()
    if editor:
        written = edit_text(text or "")
        if not written.strip():
            raise UsageProblem("The text is empty; nothing was sent.")
        return written
    if text is None and _has_piped_text():
        complain("The standard input was not read. To post it as the text, give - after the title.")
    return text or ""


def edit_text(text: str) -> str:
    """The text as the editor leaves it. If the editor fails, as after `:cq` in vim, nothing is sent."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi")
    file = Path(tempfile.mkdtemp(prefix="logbook-"), "entry.md")
    file.write_text(text, encoding="utf-8")
    _unsaved[file] = text
    command: Union[str, List[str]] = [*shlex.split(editor), str(file)]
    if sys.platform == "win32":
        # Paths on Windows contain backslashes, which `shlex` would take for escapes.
        command = f'{editor} "{file}"'
    try:
        code = subprocess.run(command).returncode
    except OSError as error:
        raise UsageProblem(f"{editor} cannot be started: {error.strerror}. Set EDITOR to your editor.") from error
    if code != 0:
        raise UsageProblem(f"{editor} failed; nothing was sent.")
    return file.read_text("utf-8")


def forget_texts() -> None:
    """Removes the files of the editor, once their texts are stored elsewhere."""
    while _unsaved:
        _remove(_unsaved.popitem()[0])


def report_unsaved() -> None:
    """Says where texts are that were written in an editor, and are not stored elsewhere."""
    while _unsaved:
        file, before = _unsaved.popitem()
        if not file.exists() or file.read_bytes() in (b"", before.encode("utf-8", "replace")):
            _remove(file)
        else:
            complain(f"Your text is in {file}")


def _remove(file: Path) -> None:
    shutil.rmtree(file.parent, ignore_errors=True)


def _has_piped_text() -> bool:
    """Whether the standard input has something to read. The input may be that of a loop in the calling script."""
    if sys.platform == "win32":
        return False
    import fcntl
    import termios

    try:
        if os.isatty(sys.stdin.fileno()):
            return False
        count = fcntl.ioctl(sys.stdin.fileno(), termios.FIONREAD, b"\0" * 4)
    except (AttributeError, OSError, ValueError):
        return False
    return any(count)


def _read_standard_input() -> str:
    """The piped text, whatever its encoding is: an alarm must not be lost for one character."""
    if sys.stdin is None:
        raise UsageProblem("There is no standard input to read the text from.")
    content = sys.stdin.buffer.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise UsageProblem(f"The text is longer than {_MAX_BYTES >> 20} MB. Attach it as a file.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode(locale.getpreferredencoding(False), "replace")
    return text.replace("\r\n", "\n")


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
            try:
                done = subprocess.run(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10)
            except subprocess.TimeoutExpired:
                continue
            if done.returncode == 0:
                return done.stdout.decode(errors="replace")
    raise UsageProblem("The clipboard cannot be read: install wl-clipboard, xclip or xsel, or pipe the text to `-`.")
