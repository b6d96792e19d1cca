"""Files of entries: from paths, bytes, figures and tables."""

from __future__ import annotations

import io
import mimetypes
import os
import re
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Iterable, Union

from . import models


@dataclass(frozen=True)
class File:
    """A file to attach. `content` is read when the entry is sent, if it is a path."""

    filename: str
    content: Union[bytes, Path]
    description: str = ""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def markup(self) -> str:
        """Markup that shows the image where it is in the text of an entry."""
        return f"![{self.filename}](attachment/{self.id})"

    @property
    def media_type(self) -> str:
        return mimetypes.guess_type(self.filename)[0] or "application/octet-stream"

    def open(self) -> IO[bytes]:
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.open("rb")


#: A path, `(name, bytes)`, a `File`, a figure of matplotlib or a DataFrame of pandas.
Attachable = Any


def to_file(value: Attachable) -> File:
    """Returns an attachable value as a file. A figure becomes a PNG image, and a DataFrame a CSV table."""
    if isinstance(value, File):
        return value
    if isinstance(value, (str, os.PathLike)):
        path = Path(value)
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not a file. Check the path of the attachment.")
        return File(path.name, path.absolute())
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], (bytes, bytearray, memoryview)):
        return File(str(value[0]), bytes(value[1]))
    # Duck typing needs neither library, and also accepts what behaves like them.
    if hasattr(value, "savefig"):
        image = io.BytesIO()
        value.savefig(image, format="png", bbox_inches="tight")
        return File(f"{_name_of(value, 'figure')}.png", image.getvalue())
    if hasattr(value, "to_csv"):
        return File(f"{_name_of(value, 'table')}.csv", value.to_csv().encode())
    raise TypeError(
        f"A {type(value).__name__} cannot be attached. Give a path, (name, bytes), a File, a figure or a DataFrame."
    )


def to_files(values: Union[Attachable, Iterable[Attachable]]) -> list[File]:
    """Converts a list of attachments; of files with the same name, all but the first get a number."""
    names: set[str] = set()
    files = []
    for file in map(to_file, values):
        # A file name that is not UTF-8 contains unpaired surrogates.
        name = unused_name(file.filename.encode("utf-8", "replace").decode(), names)
        names.add(name.lower())
        files.append(file if name == file.filename else File(name, file.content, file.description, file.id))
    return files


def local_name(filename: str, default: str) -> str:
    """The name under which a file of an entry is saved. It never leads out of a directory."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1].replace("\0", "_")
    if sys.platform == "win32":
        # A colon leads to another drive, or into another stream of a file.
        name = re.sub(r'[\x00-\x1f<>:"|?*]', "_", name).rstrip(" .")
    return default if name in ("", ".", "..") else name


def target_of(attachment: models.Attachment, target: Union[str, os.PathLike[str]]) -> Path:
    """The file to write. A name from the logbook never leads out of the directory."""
    path = Path(target)
    default = re.sub(r"[^\w-]", "_", attachment.id) or "file"
    return path / local_name(attachment.filename, default) if path.is_dir() else path


def _name_of(value: Any, default: str) -> str:
    """The label of a figure or the name of a table, without characters that file systems reserve."""
    get_label = getattr(value, "get_label", None)
    label = str(get_label() if callable(get_label) else getattr(value, "name", "") or "")
    kept = "".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in label).strip(" .")
    return kept or default


def unused_name(name: str, used: set[str]) -> str:
    """The name, with a number if it is used; `used` has names in lower case."""
    if name.lower() not in used:
        return name
    stem, suffix = os.path.splitext(name)
    number = 2
    while f"{stem}-{number}{suffix}".lower() in used:
        number += 1
    return f"{stem}-{number}{suffix}"
