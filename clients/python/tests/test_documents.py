"""The examples of the README and of the guide, as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from logbook_service import ROOT, LogbookService

README = (ROOT / "clients" / "python" / "README.md").read_text("utf-8")
GUIDE = (ROOT / "docs" / "developer" / "python-client.md").read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def directory(logbook_service: LogbookService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name, value in {"URL": logbook_service.url, "USER": "user", "PASSWORD": "userPass"}.items():
        monkeypatch.setenv(f"LOGBOOK_{name}", value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("attached")
    # The loop over changes begins at this position, and so receives earlier ones.
    (tmp_path / "position.txt").write_text("0")
    return tmp_path


def test_python_in_the_readme(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for block in blocks(README, "python"):
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "Magnet trip" in printed and "created" in printed


def test_commands_in_the_readme(directory: Path) -> None:
    commands = blocks(README, "sh")[1]
    script = f'set -e\nlogbook() {{ "{sys.executable}" -m logbook_client "$@"; }}\n{commands}'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env=dict(os.environ), timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Stopped at" in done.stdout
    assert (directory / "saved" / "entries.ndjson").exists()


def test_python_in_the_guide(
    directory: Path, logbook_service: LogbookService, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, object] = {"RE": MagicMock(), "plan": None}
    for block in blocks(GUIDE, "python"):
        exec(compile(block.replace("http://127.0.0.1:8080", logbook_service.origin), "guide", "exec"), names)
    assert "From asyncio" in capsys.readouterr().out


def test_the_exit_codes_in_the_readme_are_those_of_the_help() -> None:
    from logbook_client.cli import app

    listed = re.search(r"Exit codes: (.*?unreachable)", README.replace("\n", " "))
    assert listed is not None and listed.group(1) in str(app.info.epilog)
