"""The OpenID Connect provider of the tests of the service, in a process of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from logbook_service import end_with_parent


class IdentityProvider:
    """Signs every visitor in as `ada`."""

    def __init__(self) -> None:
        script = Path(__file__).with_name("identity-provider.mjs")
        self._process = subprocess.Popen(
            [shutil.which("node") or "node", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
        found = json.loads(self._read("settings"))
        self.settings = {
            "OIDC_ISSUER": found["oidcIssuer"],
            "OIDC_CLIENT_ID": found["oidcClientId"],
            "OIDC_CLIENT_SECRET": found["oidcClientSecret"],
        }

    def decide(self, decision: str, address: str) -> None:
        """A person opens the address in a browser; `decision` is `confirm` or `abort`."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{decision} {address}\n")
        self._process.stdin.flush()
        assert self._read("done") == "200"

    def _read(self, kind: str) -> str:
        """The rest of the next line of this kind; the library prints notices in between."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(f"{kind} "):
                return line.partition(" ")[2].strip()
        raise AssertionError("the provider has ended")

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
