"""The service of this checkout, in a process of its own."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).parents[3]
MAIN = ROOT / "dist" / "src" / "main.js"


class LogbookService:
    """Starts on a free port of this machine, with data in a temporary directory."""

    def __init__(self) -> None:
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
        """Starts it, the second time on the same port."""
        environment = {
            "PATH": os.environ["PATH"],
            "LOGBOOK_DATA_DIR": str(self.directory),
            "LOGBOOK_HTTP_PORT": str(self.port),
            "LOGBOOK_HTTPS_PORT": "off",
        }
        command = [shutil.which("node") or "node", str(MAIN)]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        output = self._read_until(b"Ctrl-C stops it")
        found = re.search(rb"plain HTTP\s+http://[^/\s]+:(\d+)", output)
        assert found, output.decode()
        self.port = int(found.group(1))

    def _read_until(self, wanted: bytes, seconds: float = 120) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        output, end = b"", time.monotonic() + seconds
        while wanted not in output:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))
            chunk = os.read(self._process.stdout.fileno(), 65_536) if ready else b""
            assert chunk, f"the service did not start: {output.decode()}"
            output += chunk
        return output

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
