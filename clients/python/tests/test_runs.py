"""Appends to runs that are interrupted."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from conftest import USER
from cutting_proxy import CuttingProxy
from logbook_client import AsyncClient, Client, OutcomeUnknown, Retries
from logbook_client.runs import AsyncRun


def test_after_a_cancelled_append_the_next_block_follows_whether_it_was_stored_or_not(proxy: CuttingProxy) -> None:
    async def append_stored_and_cancelled(client: AsyncClient, run: AsyncRun, text: str) -> None:
        proxy.withholds_answers = True
        cancelled = asyncio.create_task(run.append(text))
        async with AsyncClient(proxy.direct_url, **USER) as direct:
            while text not in (await direct.get(run.entry.id)).text:
                assert not cancelled.done()
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        proxy.withholds_answers = False

    async def main() -> None:
        async with AsyncClient(proxy.url, **USER) as client:
            async with client.run("Scan 23", logbooks="operations") as run:
                await run.append("one")
                await append_stored_and_cancelled(client, run, "two")
                await run.append("three")
                await append_stored_and_cancelled(client, run, "four")
                await run.append("four")
                for turns in range(12):
                    cancelled = asyncio.create_task(run.append(f"cancelled {turns}"))
                    for _ in range(turns):
                        await asyncio.sleep(0)
                    cancelled.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await cancelled
                    await run.append(f"after {turns}")
            closed = await client.get(run.entry.id)
            blocks = closed.text.split("\n\n")
            assert [block for block in blocks if "cancelled" not in block] == [
                *("one", "two", "three", "four"),
                *(f"after {turns}" for turns in range(12)),
            ]
            assert len(set(blocks)) == len(blocks)
            assert closed.run is not None and (closed.run.status, closed.run.blocks) == ("done", len(blocks))

    asyncio.run(asyncio.wait_for(main(), 120))


def test_a_run_whose_opening_was_cancelled_is_opened_once(proxy: CuttingProxy) -> None:
    async def main() -> None:
        async with AsyncClient(proxy.url, **USER) as client, AsyncClient(proxy.direct_url, **USER) as direct:
            await client.capabilities()
            run = client.run("Scan 24", logbooks="operations")
            proxy.withholds_answers = True
            cancelled = asyncio.create_task(run.open())
            while [one async for one in direct.search(title="24", query="is:running")] == []:
                assert not cancelled.done()
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            proxy.withholds_answers = False
            await run.open()
            async with run:
                await run.append("one")
            assert [one.text async for one in direct.search(title="24", query="is:done")] == ["one"]
            assert [one async for one in direct.search(title="24", query="is:running")] == []

    asyncio.run(asyncio.wait_for(main(), 120))


def test_after_an_append_with_an_unknown_outcome_the_next_block_follows(proxy: CuttingProxy) -> None:
    with Client(proxy.url, **USER, retries=Retries(count=0)) as client:
        with client.run("Scan 25", logbooks="operations") as run:
            proxy.lost_answers = 1
            with pytest.raises(OutcomeUnknown):
                run.append("one")
            run.append("two")
        assert client.get(run.entry.id).text == "one\n\ntwo"
