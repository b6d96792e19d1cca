"""Address and credentials: from arguments, the environment, a sign-in or the file netrc, in that order."""

from __future__ import annotations

import netrc
import os
import re
import ssl
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Optional, Union
from urllib.parse import SplitResult, quote, urlsplit
from urllib.request import getproxies

from ._httpx import httpx
from .calls import Retries

DEFAULT_URL = "http://127.0.0.1:8080/logbook"


@dataclass(frozen=True)
class Settings:
    """Address of a service, and how to sign in to it."""

    #: Address with the root path, without a slash at the end.
    url: str
    user: Optional[str]
    headers: Mapping[str, str]
    auth: Optional[httpx.Auth]
    #: Maximum time to wait for the service, in seconds.
    timeout: float
    retries: Retries
    spool_directory: Path
    #: Spool of the entries for this service that were stored without credentials; None: this client does not send them.
    unsigned_spool: Optional[Path] = None

    def tls(self) -> Union[ssl.SSLContext, bool]:
        """Certificates of the system, where facilities install their own authorities.

        Plain HTTP needs none, unless a proxy has TLS. Loading them takes longer than most requests.
        """
        if self.url.startswith("https:"):
            return ssl.create_default_context()
        has_tls_proxy = any(proxy.startswith("https:") for proxy in getproxies().values())
        return True if has_tls_proxy else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def find_settings(
    url: Optional[str] = None,
    *,
    token: Optional[str] = None,
    user: Optional[str] = None,
    password: Optional[str] = None,
    timeout: float = 30.0,
    retries: Optional[Retries] = None,
    spool_directory: Optional[Union[str, os.PathLike[str]]] = None,
) -> Settings:
    """Completes what a user gives: credentials come from one source, and are never mixed."""
    base = _normalized(url or os.environ.get("LOGBOOK_URL") or DEFAULT_URL)
    if password is not None and user is None:
        raise ValueError("Give the user of the password, too: credentials come from one source.")
    if token is None and user is None:
        token = os.environ.get("LOGBOOK_TOKEN", "").strip()
        user, password = os.environ.get("LOGBOOK_USER"), os.environ.get("LOGBOOK_PASSWORD")
        if not token and not user:
            token = _stored_token(base)
        if not token and not (user and password):
            user, password = _from_netrc(urlsplit(base).hostname or "", user)
    if not token and user and password is None:
        user, password = _from_netrc(urlsplit(base).hostname or "", user)
    token = _checked_token(token or "")
    headers = {"X-Logbook-Client-Info": _client_info(), "Accept": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    auth = httpx.BasicAuth(user, password) if not token and user and password is not None else None
    directory, unsigned = _spool_directory(base, user or ("token" if token else "")), _spool_directory(base, "")
    if spool_directory is not None:
        directory = unsigned = Path(spool_directory).absolute()
    return Settings(
        url=base,
        user=user,
        headers=headers,
        auth=auth,
        timeout=timeout,
        retries=retries or Retries(),
        spool_directory=directory,
        unsigned_spool=unsigned if (token or auth) and unsigned != directory else None,
    )


def token_file(url: str) -> Path:
    """The file with the token of a sign-in, which belongs to exactly this address."""
    return Path(_state_directory()).absolute() / "logbook-client" / "tokens" / quote(url, safe="")


def _stored_token(url: str) -> str:
    try:
        return token_file(url).read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeError) as error:
        raise ValueError(f"The token of the sign-in cannot be read: {error}. Sign in again.") from error


def _checked_token(token: str) -> str:
    """The token without its line end. The HTTP library would show an illegal token in its error message."""
    token = token.strip()
    if not re.fullmatch(r"[\x21-\x7e]*", token):
        raise ValueError("The token contains a space or a character that tokens never contain. Copy it again.")
    return token


def _normalized(url: str) -> str:
    url = url.strip()
    if "@" in url.partition("//")[2].partition("/")[0]:
        raise ValueError("Leave the user and the password out of the address: use the arguments or the environment.")
    parts = _parsed(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{url!r} is not the address of a logbook. Write it as https://host:8181/logbook.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/logbook'}"


def _parsed(url: str) -> Optional[SplitResult]:
    """The parts of an address; None if its host or port is invalid."""
    try:
        parts = urlsplit(url)
        # Each parser rejects addresses that the other accepts.
        is_valid = parts.port != 0 and bool(httpx.URL(url).host)
    except (ValueError, httpx.InvalidURL):
        return None
    return parts if is_valid else None


def _from_netrc(host: str, user: Optional[str]) -> tuple[Optional[str], Optional[str]]:
    """User and password of the host in the file netrc; for a given user, only those of this user."""
    names = [".netrc", "_netrc"] if sys.platform == "win32" else [".netrc"]
    files = [os.environ["NETRC"]] if os.environ.get("NETRC") else [str(Path.home() / name) for name in names]
    file = next((name for name in files if os.path.exists(name)), None)
    try:
        found = netrc.netrc(file).authenticators(host) if file else None
    except (netrc.NetrcParseError, OSError, UnicodeError) as error:
        raise ValueError(f"{file} cannot be used: {error}") from error
    if found is None or (user and found[0] != user):
        return user, None
    return found[0], found[2]


def _spool_directory(url: str, owner: str) -> Path:
    """One directory for each service and user. Tokens without a user share one, as their user is not known.

    The owner is empty without credentials.
    """
    root = os.environ.get("LOGBOOK_SPOOL") or os.path.join(_state_directory(), "logbook-client", "spool")
    parts = urlsplit(url)
    return Path(root).absolute() / quote(f"{owner}@{parts.netloc}{parts.path}", safe="@")


def _state_directory() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or str(Path.home())
    return os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")


def _client_info() -> str:
    from . import __version__

    program = os.path.basename((sys.argv or [""])[0]) or "python"
    return f"logbook-client/{__version__} ({re.sub('[^ -~]', '?', program)})"
