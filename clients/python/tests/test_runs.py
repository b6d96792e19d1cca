"""Appends to runs that are interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import math
from decimal import Decimal
from typing import Optional

import httpx
import pytest
from conftest import USER
from cutting_proxy import CuttingProxy
from logbook_client import AsyncClient, Client, EditConflict, OutcomeUnknown, Refused, Retries
from logbook_client.calls import Call, Step
from logbook_client.runs import AsyncRun, Run, to_plain
from logbook_service import LogbookService


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


def test_an_edit_of_the_text_never_removes_blocks_that_were_appended_since_it_was_read(
    logbook_service: LogbookService,
) -> None:
    with Client(logbook_service.url, **USER) as client, client.run("Scan 26", "opened", logbooks="operations") as run:
        run.append("one")
        read = client.get(run.entry.id)
        run.append("two")
        with pytest.raises(EditConflict) as conflict:
            client.edit(read, text=f"{read.text}\n\nnote")
        assert conflict.value.current is not None and conflict.value.current.text == "opened\n\none\n\ntwo"
        # An id does not say which blocks were read.
        assert client.edit(run.entry.id, text="opened\n\none\n\nnote").text == "opened\n\none\n\nnote\n\ntwo"
        read = client.get(run.entry.id)
        run.append("three")
        assert client.edit(read, title="Scan 26 a").text == "opened\n\none\n\nnote\n\ntwo\n\nthree"
        assert client.edit(client.get(run.entry.id), text="all seen").text == "all seen"


def test_an_edit_notices_a_block_that_is_appended_while_it_is_sent(logbook_service: LogbookService) -> None:
    async def main() -> None:
        async with AsyncClient(logbook_service.url, **USER) as client:
            async with client.run("Scan 27", "opened", logbooks="operations") as run:
                read = await client.get(run.entry.id)
                take, texts = client._take, iter(["one", "two"])

                async def append_before_the_edit(step: Step) -> Optional[httpx.Response]:
                    if isinstance(step, Call) and step.method == "POST" and step.path == f"/logs/{run.entry.id}":
                        client._take = take  # type: ignore[method-assign]
                        await run.append(next(texts))
                    return await take(step)

                client._take = append_before_the_edit  # type: ignore[method-assign]
                with pytest.raises(EditConflict):
                    await client.edit(read, text="opened\n\nnote")
                client._take = append_before_the_edit  # type: ignore[method-assign]
                edited = await client.edit(run.entry.id, text="opened\n\none\n\nnote")
                assert edited.text == "opened\n\none\n\nnote\n\ntwo"

    asyncio.run(asyncio.wait_for(main(), 120))


@pytest.mark.parametrize("block", [None, "one"])
def test_an_edit_of_the_text_keeps_other_fields_that_are_edited_while_it_is_sent(
    logbook_service: LogbookService, monkeypatch: pytest.MonkeyPatch, block: Optional[str]
) -> None:
    with Client(logbook_service.url, **USER) as client, client.run("Scan", "opened", logbooks="operations") as run:
        if block is not None:
            run.append(block)
        text, take = client.get(run.entry.id).text, client._take

        def edit_before(step: Step) -> Optional[httpx.Response]:
            if isinstance(step, Call) and step.method == "POST":
                monkeypatch.undo()
                client.edit(run.entry.id, title="Scan 32", tags=["alarm"])
                run.append("late")
            return take(step)

        monkeypatch.setattr(client, "_take", edit_before)
        edited = client.edit(run.entry.id, text=f"{text}\n\nnote")
        assert (edited.title, edited.tag_names) == ("Scan 32", ["alarm"])
        assert edited.text == f"{text}\n\nnote\n\nlate"


def test_a_script_that_restarts_continues_its_run_with_the_same_key(logbook_service: LogbookService) -> None:
    async def continue_run() -> None:
        async with AsyncClient(logbook_service.url, **USER) as client:
            run = await client.run("Scan 28", "opened", logbooks="operations", key="scan 28").open()
            assert run.entry.text == "opened\n\nStarted\n\none"
            await run.append("Started")
            await run.append("two")

    with Client(logbook_service.url, **USER) as client:
        run = client.run("Scan 28", "opened", logbooks="operations", key="scan 28")
        run.append("Started")
        run.append("one")
        asyncio.run(asyncio.wait_for(continue_run(), 120))
        with client.run("Scan 28", "opened", logbooks="operations", key="scan 28") as last:
            assert last.block_count == 4
            # A request of the earlier process may arrive as late as this.
            run = client.run("Scan 28", "opened", logbooks="operations", key="scan 28")
            run.append("late")
            last.append("three")
        assert client.get(run.entry.id).text.split("\n\n")[1:] == ["Started", "one", "Started", "two", "late", "three"]


def test_a_continued_run_follows_a_first_block_that_arrives_late(logbook_service: LogbookService) -> None:
    async def continue_run(earlier: Run) -> None:
        async with AsyncClient(logbook_service.url, **USER) as client:
            async with client.run("Scan 31", logbooks="operations", key="scan 31") as run:
                earlier.append("late")
                await run.append("one")

    with Client(logbook_service.url, **USER) as client:
        # The process that opened each run was killed during its first append.
        earlier = client.run("Scan 30", logbooks="operations", key="scan 30 late")
        with client.run("Scan 30", logbooks="operations", key="scan 30 late") as run:
            earlier.append("late")
            run.append("one")
        assert client.get(run.entry.id).text == "late\n\none"
        earlier = client.run("Scan 31", logbooks="operations", key="scan 31")
        asyncio.run(asyncio.wait_for(continue_run(earlier), 120))
        assert client.get(earlier.entry.id).text == "late\n\none"


def test_a_key_whose_run_is_closed_opens_no_run_and_names_the_entry(logbook_service: LogbookService) -> None:
    async def reopen() -> None:
        async with AsyncClient(logbook_service.url, **USER) as client:
            await client.run("Scan 29", logbooks="operations", key="scan 29").open()

    with Client(logbook_service.url, **USER) as client:
        with client.run("Scan 29", logbooks="operations", key="scan 29") as run:
            run.append("one")
        closed = f"closed.*{run.entry.id}|{run.entry.id}.*closed"
        with pytest.raises(Refused, match=closed) as refused:
            client.run("Scan 29", logbooks="operations", key="scan 29")
        assert refused.value.code == "run.closed"
        with pytest.raises(Refused, match=closed):
            asyncio.run(asyncio.wait_for(reopen(), 120))


def test_the_outcome_is_unknown_when_a_run_with_a_key_is_opened_and_cannot_be_read(
    logbook_service: LogbookService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Client(logbook_service.url, **USER, retries=Retries(0)) as client:
        client.capabilities()
        take = client._take

        def lose_reads(step: Step) -> Optional[httpx.Response]:
            if isinstance(step, Call) and step.method == "GET":
                raise httpx.ConnectError("unreachable", request=httpx.Request("GET", logbook_service.url))
            return take(step)

        monkeypatch.setattr(client, "_take", lose_reads)
        with pytest.raises(OutcomeUnknown):
            client.run("Scan 30", logbooks="operations", key="scan 30")
        monkeypatch.undo()
        with client.run("Scan 30", logbooks="operations", key="scan 30") as run:
            assert run.block_count == 0


class _Scalar:
    """A number that is not one of Python, as in numpy."""

    def __init__(self, value: object) -> None:
        self._value = value

    def item(self) -> object:
        return self._value


def test_values_of_a_scan_are_stored_whatever_their_type_is(logbook_service: LogbookService) -> None:
    values = {
        **{"nan": math.nan, "inf": math.inf, "minus": -math.inf, "scalar nan": _Scalar(math.nan)},
        **{"scalar": _Scalar(2), "flag": _Scalar(True), "exact": Decimal("1.50"), "list": [1, 2]},
        **{"int": 3, "float": 0.5, "text": "open", "none": None},
    }
    with Client(logbook_service.url, **USER) as client:
        with client.run("Scan 28", logbooks="operations") as run:
            run.append(values=values)
        lines = client.get(run.entry.id).text.replace("`", "").split("\n")
    assert lines == [
        *("- nan: nan", "- inf: inf", "- minus: -inf", "- scalar nan: nan"),
        *("- scalar: 2", "- flag: true", "- exact: 1.50", "- list: [1, 2]"),
        *("- int: 3", "- float: 0.5", "- text: open", "- none:"),
    ]


def test_scalars_of_numpy_become_those_of_python() -> None:
    numpy = pytest.importorskip("numpy")
    given = [numpy.int64(2), numpy.float32(0.5), numpy.bool_(True), numpy.float64("nan"), numpy.array([1, 2])]
    assert [to_plain(value) for value in given] == [2, 0.5, True, "nan", "[1 2]"]
    assert [type(to_plain(value)) for value in given] == [int, float, bool, str, str]


def test_an_error_of_the_script_is_not_hidden_by_a_run_that_cannot_be_closed(
    logbook_service: LogbookService, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        async with AsyncClient(logbook_service.url, **USER) as client:
            async with client.run("Scan 30", logbooks="operations") as run:
                await run.close()
                raise ZeroDivisionError

    with Client(logbook_service.url, **USER) as client:
        with pytest.raises(ZeroDivisionError), client.run("Scan 29", logbooks="operations") as run:
            run.close()
            raise ZeroDivisionError
        with pytest.raises(Refused), client.run("Scan 31", logbooks="operations") as run:
            run.close("failed")
    with pytest.raises(ZeroDivisionError):
        asyncio.run(fail())
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert ["is not closed" in message for message in errors] == [True, True]
