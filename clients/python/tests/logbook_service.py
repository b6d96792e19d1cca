"""The service of this checkout, in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).parents[3]
MAIN = ROOT / "dist" / "src" / "main.js"


class LogbookService:
    """Starts on a free port of this machine, with data in a temporary directory."""

    def __init__(self, **settings: str) -> None:
        """`settings` are variables of the environment without their prefix."""
        self._settings = settings
        self.directory = Path(tempfile.mkdtemp(prefix="logbook-python-"))
        self._process: Optional[subprocess.Popen[bytes]] = None
        self.port = 0
        self.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/logbook"

    def start(self) -> None:
        """Starts the service. A restart uses the same port."""
        environment = {
            "PATH": os.environ["PATH"],
            "LOGBOOK_DATA_DIR": str(self.directory),
            "LOGBOOK_HTTP_PORT": str(self.port),
            "LOGBOOK_HTTPS_PORT": "off",
            "LOGBOOK_MCP": "true",
            **{f"LOGBOOK_{name}": value for name, value in self._settings.items()},
        }
        command = [shutil.which("node") or "node", str(MAIN)]
        log = self.directory.with_suffix(".log")
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=end_with_parent if sys.platform == "linux" else None,
            )
        while "Ctrl-C stops it" not in (text := log.read_text("utf-8")):
            assert self._process.poll() is None, f"the service did not start: {text}"
            time.sleep(0.02)
        found = re.search(r"plain HTTP\s+http://[^/\s]+:(\d+)", text)
        assert found, text
        self.port = int(found.group(1))

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.with_suffix(".log").unlink(missing_ok=True)


def end_with_parent() -> None:
    """Ends the service when the tests are killed."""
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
