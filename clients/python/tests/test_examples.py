"""The examples, as they are, with the service of this checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path
from typing import Iterator, Optional

import pytest
from conftest import USER
from logbook_client import Client, Entry
from logbook_service import LogbookService

EXAMPLES = Path(__file__).parent.parent / "examples"


class Examples:
    def __init__(self, service: LogbookService, client: Client) -> None:
        self._client = client
        python = f"{sys.executable} -m logbook_client"
        self._environment = {
            **os.environ,
            "LOGBOOK_URL": service.url,
            "LOGBOOK_USER": "user",
            "LOGBOOK_PASSWORD": "userPass",
            "LOGBOOK_COMMAND": python,
        }

    def run(self, name: str, *arguments: str, data: Optional[bytes] = None, **environment: str) -> Entry:
        """Runs an example and returns the newest entry."""
        program = [sys.executable] if name.endswith(".py") else ["sh"]
        done = subprocess.run(
            [*program, str(EXAMPLES / name), *arguments],
            env={**self._environment, **environment},
            input=data or b"",
            capture_output=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr.decode()
        # On a busy machine, the program ends before its entry is sent; the next one that uses the spool sends it.
        assert self._client.spool.send(wait_seconds=120).waiting == 0
        return next(iter(self._client.search(limit=1)))

    def read(self, entry: Entry, number: int) -> bytes:
        return self._client.read_file(entry.attachments[number])


@pytest.fixture
def examples(logbook_service: LogbookService) -> Iterator[Examples]:
    with Client(logbook_service.url, **USER) as client:
        yield Examples(logbook_service, client)


def needs(*libraries: str) -> pytest.MarkDecorator:
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} could not be installed")


def test_cron_job(examples: Examples) -> None:
    entry = examples.run("cron_job.py", "/")
    assert entry.title == "Disks of the archiver" and "| / |" in entry.text


def test_alarm_handler(examples: Examples) -> None:
    first = examples.run("alarm_handler.py", "SR:P1", "MAJOR", "0 mbar")
    second = examples.run("alarm_handler.py", "SR:P1", "MINOR", "1 mbar")
    assert (first.level, second.level) == ("Problem", "Info")
    assert second.thread_id is not None and first.id < second.id


def test_mail_pipe(examples: Examples) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Åsa <asa@example.org>", "Störung *heute*"
    mail.set_content("Pumpe aus.\n")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="bild.png")
    forwarded = EmailMessage()
    forwarded["Subject"] = "Forwarded"
    forwarded.set_content("Before.\n")
    mail.add_attachment(forwarded, filename="forwarded.eml")
    entry = examples.run("mail_pipe.py", data=mail.as_bytes())
    assert entry.title == "Störung *heute*" and "Pumpe aus." in entry.text
    assert [one.filename for one in entry.attachments] == ["bild.png", "forwarded.eml"]
    assert b"Before." in examples.read(entry, 1)
    # The encoding of this mail is unknown.
    entry = examples.run("mail_pipe.py", data=b"Subject: \nContent-Type: text/plain; charset=x-own\n\nSt\xf6rung\n")
    assert entry.title == "(no subject)" and "Störung" in entry.text


def test_slurm_epilog(examples: Examples) -> None:
    job = {"SLURM_JOB_ID": "4711", "SLURM_JOB_USER": "jane", "SLURM_JOB_NAME": "fit", "SLURM_JOB_EXIT_CODE": "0"}
    entry = examples.run("slurm_epilog.sh", **job)
    assert entry.title == "Job 4711 of jane ended" and "exit code 0" in entry.text
    assert entry.properties[0].attributes[0].value == "4711"


@needs("matplotlib")
def test_matplotlib_figure(examples: Examples) -> None:
    entry = examples.run("matplotlib_figure.py")
    assert [one.filename for one in entry.attachments] == ["beam current.png", "current.csv"]
    assert entry.attachments[0].id in entry.text and entry.attachments[0].contentType == "image/png"


@needs("bluesky", "ophyd")
def test_bluesky_callback(examples: Examples) -> None:
    entry = examples.run("bluesky_callback.py")
    assert entry.title == "Scan 1: count" and "| 5 | 1 |" in entry.text
    assert entry.run is not None and entry.run.status == "done"


@needs("pandas")
def test_a_table_of_pandas_is_attached_as_csv(logbook_service: LogbookService) -> None:
    import pandas

    with Client(logbook_service.url, **USER) as client:
        table = pandas.DataFrame({"current": [1.5, 2.5]})
        entry = client.post("Table", "", logbooks="operations", files=[table])
        assert client.read_file(entry.attachments[0]).decode().splitlines() == [",current", "0,1.5", "1,2.5"]
