"""Sign-in with a code that a person confirms at a real OpenID Connect provider."""

from __future__ import annotations

import asyncio
import stat
import sys
from typing import Iterator

import pytest
from conftest import QUICK, Service
from identity_provider import IdentityProvider
from logbook_client import AsyncClient, Client, Refused, SignedIn, SignInCode, SignInFailed
from logbook_client.settings import token_file
from logbook_service import LogbookService
from test_cli import Shell


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    provider = IdentityProvider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def oidc_service(provider: IdentityProvider) -> Iterator[LogbookService]:
    service = LogbookService(**provider.settings)
    yield service
    service.close()


@pytest.fixture
def client(oidc_service: LogbookService) -> Iterator[Client]:
    with Client(oidc_service.url, retries=QUICK) as client:
        yield client


def sign_in(client: Client, provider: IdentityProvider) -> SignedIn:
    return client.sign_in(lambda code: provider.decide("confirm", code.complete_url))


def test_the_command_line_works_as_the_person_who_confirmed_until_the_sign_out(
    oidc_service: LogbookService, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(oidc_service.url)
    del shell.environment["LOGBOOK_USER"], shell.environment["LOGBOOK_PASSWORD"]
    shell.run("post", "Before", "x", "--logbook", "operations", "--no-spool")
    assert shell.code == 5, shell.errors

    def decide(code: SignInCode) -> None:
        shown(code)
        provider.decide("confirm", code.complete_url)

    from logbook_client.cli import signing

    shown = signing._show
    with monkeypatch.context() as patch:
        patch.setattr(signing, "_show", decide)
        shell.code = 0
        output = shell.run("sign-in")
    assert shell.code == 0, shell.errors
    assert output.startswith("Signed in as ada until ")
    host = oidc_service.origin.partition("//")[2]
    assert f"To sign in to {host}, open this address in any browser:" in shell.errors
    assert provider.settings["OIDC_ISSUER"] in shell.errors
    assert "Confirm only if it shows the code " in shell.errors
    file = token_file(oidc_service.url)
    token = file.read_text("utf-8").strip()
    assert token not in output + shell.errors
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700

    posted = shell.run("post", "After", "x", "--logbook", "operations")
    assert shell.code == 0, shell.errors
    with Client(oidc_service.url) as client:
        assert client.get(int(posted.split("\t")[0])).owner == "ada"

    shell.run("sign-out")
    assert shell.code == 0, shell.errors
    assert not file.exists()
    with Client(oidc_service.url, token=token, retries=QUICK) as client, pytest.raises(SignInFailed):
        client.post("With the old token", logbooks="operations")
    shell.run("sign-out")
    assert shell.code == 1


def test_a_refusal_leaves_nothing(client: Client, provider: IdentityProvider) -> None:
    with pytest.raises(SignInFailed):
        client.sign_in(lambda code: provider.decide("abort", code.complete_url))
    assert not token_file(client.settings.url).exists()


def test_the_token_goes_to_no_other_address(client: Client, provider: IdentityProvider) -> None:
    sign_in(client, provider)
    with Client(client.settings.url) as later, Client(client.settings.url + "/x") as other:
        assert "Authorization" in later.settings.headers
        assert "Authorization" not in other.settings.headers
    with Client(client.settings.url, user="user", password="userPass") as given:
        assert "Authorization" not in given.settings.headers


def test_a_sign_out_after_the_token_has_ended_removes_it(client: Client, provider: IdentityProvider) -> None:
    sign_in(client, provider)
    token_file(client.settings.url).write_text("logbook_ended", "utf-8")
    assert client.sign_out()
    assert not client.sign_out()


def test_asyncio(oidc_service: LogbookService, provider: IdentityProvider) -> None:
    async def sign_in_and_out() -> SignedIn:
        async with AsyncClient(oidc_service.url, retries=QUICK) as client:
            signed_in = await client.sign_in(lambda code: provider.decide("confirm", code.complete_url))
            assert await client.sign_out()
            return signed_in

    assert asyncio.run(sign_in_and_out()).user == "ada"


def test_a_service_without_sign_in_by_code_is_reported(service: Service) -> None:
    with Client(service.url, retries=QUICK) as client, pytest.raises(Refused, match="no sign-in with a code"):
        client.sign_in(lambda _: None)
