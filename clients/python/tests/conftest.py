"""Services and clients of the tests."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Iterator, Union

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cutting_proxy import CuttingProxy  # noqa: E402
from logbook_client import Client, Retries  # noqa: E402
from logbook_service import LogbookService  # noqa: E402
from olog_service import OlogService  # noqa: E402

QUICK = Retries(count=4, max_seconds=0.2)
USER = {"user": "user", "password": "userPass"}
Service = Union[LogbookService, OlogService]


@pytest.fixture(autouse=True)
def no_personal_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests see no settings and no spool of the person who runs them."""
    for name in ("URL", "TOKEN", "USER", "PASSWORD", "LOGBOOKS"):
        monkeypatch.delenv(f"LOGBOOK_{name}", raising=False)
    monkeypatch.setenv("LOGBOOK_SPOOL", str(tmp_path / "spool"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def logbook_service() -> Iterator[LogbookService]:
    service = LogbookService()
    yield service
    service.close()


@pytest.fixture
def olog_service() -> Iterator[OlogService]:
    service = OlogService()
    yield service
    service.shutdown()
    service.server_close()


@pytest.fixture(params=["logbook", "olog"])
def service(request: pytest.FixtureRequest) -> Service:
    """Each kind of service in turn, for what works with both."""
    found: Service = request.getfixturevalue(f"{request.param}_service")
    return found


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with Client(service.url, **USER, retries=QUICK) as client:
        yield client


@pytest.fixture
def proxy(logbook_service: LogbookService) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(logbook_service.port)
    yield proxy
    proxy.close()
