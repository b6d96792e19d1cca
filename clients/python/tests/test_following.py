"""Followers of a service without a stream: pages, failures and refusals."""

from __future__ import annotations

import asyncio
from itertools import islice
from pathlib import Path

import httpx
import pytest
from conftest import QUICK, USER
from logbook_client import AsyncClient, Client, LogbookError, Refused, Retries
from logbook_client.following import EventStream, Position
from olog_service import OlogService

SENT = {"title": "t", "description": "x", "logbooks": [{"name": "operations"}]}
SECOND_MS = 1_790_000_000_000


def create(service: OlogService, count: int, second: float) -> None:
    for _ in range(count):
        service.create("user", SENT, SECOND_MS + int(1_000 * second))


def test_more_entries_of_one_second_than_a_page_are_each_received_once(
    olog_service: OlogService, tmp_path: Path
) -> None:
    create(olog_service, 10, 0)
    create(olog_service, 3_500, 1)
    create(olog_service, 10, 2)
    received: list[int] = []
    with Client(olog_service.url, **USER, retries=QUICK) as client:
        # The last change of the first run is not processed, and comes again.
        for count in (1_700, 3_520 - 1_699):
            changes = client.follow(position="0", state=tmp_path / "position", poll_seconds=0.01)
            received += [change.entry.id for change in islice(changes, count) if change.entry is not None]
            changes.close()
    assert received == [*range(1_700), *range(1_699, 3_520)]


def test_more_entries_of_one_second_than_the_service_shows_end_a_follower_after_those(
    olog_service: OlogService,
) -> None:
    create(olog_service, 10_100, 0)
    received = []
    with Client(olog_service.url, **USER, retries=QUICK) as client:
        with pytest.raises(LogbookError, match="More than 10000 entries"):
            for change in client.follow(position="0", poll_seconds=0.01):
                received.append(change.position)
    assert len(set(received)) == len(received) == 10_000


def test_an_entry_that_the_index_shows_after_later_ones_is_received_once(
    olog_service: OlogService, tmp_path: Path
) -> None:
    received: list[int] = []
    olog_service.hidden = {0, 2, 58}
    for second in range(60):
        create(olog_service, 1, second)

    def follow(client: Client, shown: list[set[int]], count: int) -> None:
        """Shows more entries whenever all others are received."""
        for change in islice(client.follow(position="0", state=tmp_path / "position", poll_seconds=0.01), count):
            received.append(change.entry.id if change.entry is not None else -1)
            if len(received) == 60 - len(olog_service.hidden) and shown:
                olog_service.hidden -= shown.pop(0)

    with Client(olog_service.url, **USER, retries=QUICK) as client:
        follow(client, [{58}, {0}], 59)
        # The last change of a run is not processed, and comes again in the next one.
        assert received == [*(one for one in range(60) if one not in (0, 2, 58)), 58, 0]
        received.remove(0)
        olog_service.hidden = set()
        follow(client, [], 2)
    assert received[-2:] == [0, 2] and sorted(received) == list(range(60))


def test_a_follower_from_now_receives_what_is_shown_after_its_begin(olog_service: OlogService) -> None:
    async def follow() -> int:
        async with AsyncClient(olog_service.url, **USER, retries=QUICK) as client:
            changes = client.follow(poll_seconds=0.01)
            first = asyncio.ensure_future(changes.__anext__())
            while not any("size=1000" in one for one in olog_service.requests):
                await asyncio.sleep(0.01)
            olog_service.hidden = set()
            change = await first
            await changes.aclose()
            return -1 if change.entry is None else change.entry.id

    for number in range(300):
        create(olog_service, 1, number / 10)
    olog_service.hidden = {298}
    assert asyncio.run(asyncio.wait_for(follow(), 60)) == 298


@pytest.mark.parametrize("between, seconds, expected", [(200, 60, [0]), (201, 60, []), (10, 61, [])])
def test_the_bounds_of_late_entries(olog_service: OlogService, between: int, seconds: int, expected: list[int]) -> None:
    """An entry is late by `between` later ones, and by the seconds between it and the newest."""
    service = olog_service
    create(service, 1, 0)
    create(service, between, seconds)
    create(service, 1, seconds)
    service.hidden = {0, between + 1}
    received: list[int] = []
    with Client(service.url, **USER, retries=QUICK) as client:
        for change in client.follow(position="0", poll_seconds=0.01):
            received.append(change.entry.id if change.entry is not None else -1)
            if len(received) == between:
                # If the newest entry comes next, the late one before it is not received.
                service.hidden = set()
            elif len(received) > between:
                break
    assert received == [*range(1, between + 1), *(expected or [between + 1])]


@pytest.mark.parametrize("status", [500, 502, 503])
@pytest.mark.parametrize("count", [1, 8])
def test_a_follower_of_olog_continues_after_failures(olog_service: OlogService, status: int, count: int) -> None:
    async def follow() -> list[object]:
        async with AsyncClient(olog_service.url, **USER, retries=Retries(2, 0.05)) as client:
            received: list[object] = []
            olog_service.search_failures = [status] * count
            async for change in client.follow(position="0", poll_seconds=0.01):
                received.append(change.entry and change.entry.id)
                if len(received) == 5:
                    break
        return received

    create(olog_service, 5, 0)
    with Client(olog_service.url, **USER, retries=Retries(2, 0.05)) as client:
        changes = client.follow(position="0", poll_seconds=0.01)
        olog_service.search_failures = [status] * count
        first = [change.entry and change.entry.id for change in islice(changes, 5)]
        olog_service.search_failures = [status] * count
        create(olog_service, 2, 1)
        assert [*first, *(change.entry and change.entry.id for change in islice(changes, 2))] == list(range(7))
    assert asyncio.run(asyncio.wait_for(follow(), 120)) == list(range(5))


@pytest.mark.parametrize("status", [500, 502, 503])
@pytest.mark.parametrize("count", [1, 8])
def test_a_follower_waits_for_a_service_that_fails_at_first(olog_service: OlogService, status: int, count: int) -> None:
    async def follow() -> object:
        async with AsyncClient(olog_service.url, **USER, retries=Retries(2, 0.05)) as client:
            olog_service.welcome_failures = [status] * count
            async for change in client.follow(position="0", poll_seconds=0.01):
                return change.entry and change.entry.id
        return None

    create(olog_service, 1, 0)
    with Client(olog_service.url, **USER, retries=Retries(2, 0.05)) as client:
        olog_service.welcome_failures = [status] * count
        change = next(client.follow(position="0", poll_seconds=0.01))
        assert change.entry is not None and change.entry.id == 0
    assert asyncio.run(asyncio.wait_for(follow(), 120)) == 0
    assert olog_service.welcome_failures == []


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusal_at_first_ends_a_follower(olog_service: OlogService, status: int) -> None:
    with Client(olog_service.url, **USER, retries=QUICK) as client:
        olog_service.welcome_failures = [status]
        with pytest.raises(Refused, match="Not now"):
            next(client.follow(position="0", poll_seconds=0.01))


@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusal_ends_a_follower_of_olog(olog_service: OlogService, status: int) -> None:
    create(olog_service, 1, 0)
    with Client(olog_service.url, **USER, retries=QUICK) as client:
        changes = client.follow(position="0", poll_seconds=0.01)
        next(changes)
        olog_service.search_failures = [status]
        with pytest.raises(Refused, match="Not now") as refused:
            next(changes)
        assert refused.value.status == status


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_stream_that_the_service_cannot_open_is_requested_again(status: int) -> None:
    stream = EventStream({}, Position("0", None), "http://127.0.0.1/logbook")
    assert not stream.is_open(httpx.Response(status))
    with pytest.raises(Refused):
        stream.is_open(httpx.Response(403, request=httpx.Request("GET", "http://127.0.0.1/logbook/changes")))
