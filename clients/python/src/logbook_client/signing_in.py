"""Sign-in of a person who confirms a code in any browser, and the tokens that it leaves on this computer."""

from __future__ import annotations

import os
import socket
import time
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Callable, Sequence
from urllib.parse import urlsplit

from .calls import Call, Pause, Steps, interpret
from .errors import Refused, SignInFailed
from .operations import Operations
from .settings import token_file

_PATH = "/login/oidc/device"


@dataclass(frozen=True)
class SignInCode:
    """Code and addresses with which a person confirms a sign-in."""

    #: Host of the logbook that asks.
    server: str
    #: Page of the identity provider.
    url: str
    #: The code to enter there, or to compare if the page shows it.
    code: str
    #: The same page with the code filled in.
    complete_url: str


@dataclass(frozen=True)
class SignedIn:
    """The user whose token is now stored on this computer."""

    user: str
    expires: datetime


#: Shows a code to a person.
Show = Callable[[SignInCode], None]


def sign_in(operations: Operations, show: Show, name: str, rights: Sequence[str], days: int) -> Steps[SignedIn]:
    """Begins a sign-in, shows its code and waits until a person has confirmed it."""
    settings = operations.settings
    body = {"name": name or _token_name(), "rights": list(rights), "days": days}
    try:
        answer = yield from operations.perform(Call("POST", _PATH, body=body))
    except Refused as error:
        # Other services send no error codes, and other versions of this one do not know the path.
        if error.code is not None and error.code != "request.unknown-address":
            raise
        raise Refused(f"The service at {settings.url} has no sign-in with a code.", error.status, error.code) from error
    begun = interpret(answer, lambda one: (str(one["handle"]), float(one["interval"]), float(one["expiresIn"])))
    handle, interval, lifetime = begun
    end = time.monotonic() + lifetime
    show(interpret(answer, lambda one: _code(urlsplit(settings.url).netloc, one)))
    while time.monotonic() < end:
        yield Pause(interval)
        answer = yield from operations.perform(Call("POST", f"{_PATH}/token", body={"handle": handle}))
        if answer.status_code == 202:
            interval = max(interval, interpret(answer, lambda one: float(one["interval"])))
            continue
        token, user, expires = interpret(answer, lambda one: (one["token"], one["userName"], one["expiresDate"]))
        _store(token_file(settings.url), str(token))
        return SignedIn(str(user), datetime.fromtimestamp(expires / 1000, timezone.utc))
    raise SignInFailed("The sign-in was not confirmed in time. Begin a new one.", 401, "auth.device-sign-in-over")


def sign_out(operations: Operations) -> Steps[bool]:
    """Ends the stored token. Returns False if there is none."""
    file = token_file(operations.settings.url)
    try:
        token = file.read_text("utf-8").strip()
    except FileNotFoundError:
        return False
    try:
        yield from operations.perform(Call("DELETE", "/tokens/self").with_headers(Authorization=f"Bearer {token}"))
    except SignInFailed:
        # It has expired, or was deleted in the browser.
        pass
    file.unlink(missing_ok=True)
    return True


def _code(server: str, body: dict[str, str]) -> SignInCode:
    url = body["verificationUri"]
    return SignInCode(server, url, body["userCode"], body.get("verificationUriComplete", url))


def _token_name() -> str:
    return f"command line on {socket.gethostname()}"[:200]


def _store(file: Path, token: str) -> None:
    """Replaces the token. No other user can read it at any time."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f".{uuid.uuid4().hex}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as output:
            output.write(token + "\n")
        os.replace(part, file)
    finally:
        part.unlink(missing_ok=True)
