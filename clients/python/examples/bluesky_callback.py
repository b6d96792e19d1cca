#!/usr/bin/env python3
"""Posts one entry for each run of a bluesky RunEngine, once the run has ended."""

from typing import Any

from logbook_client import Client


class LogbookCallback:
    """Subscribe it to a RunEngine: RE.subscribe(LogbookCallback(Client(), "operations"))"""

    def __init__(self, logbook: Client, logbooks: str) -> None:
        self._logbook = logbook
        self._logbooks = logbooks
        self._start: dict[str, Any] = {}
        self._points = 0

    def __call__(self, name: str, document: dict[str, Any]) -> None:
        if name == "start":
            self._start, self._points = document, 0
        elif name == "event":
            self._points += 1
        elif name == "event_page":
            self._points += len(document["seq_num"])
        elif name == "stop":
            self._post(document)

    def _post(self, stop: dict[str, Any]) -> None:
        start = self._start
        seconds = stop["time"] - start["time"]
        lines = [
            f"| Plan | {start.get('plan_name', '')} |",
            f"| Detectors | {', '.join(start.get('detectors', []))} |",
            f"| Motors | {', '.join(start.get('motors', []))} |",
            f"| Points | {self._points} |",
            f"| Time | {seconds:.1f} s |",
            f"| Status | {stop['exit_status']} {stop.get('reason', '')} |",
        ]
        # A scan never waits for the logbook.
        self._logbook.post(
            f"Scan {start.get('scan_id', '')}: {start.get('plan_name', '')}",
            "\n".join(["| Run | |", "|---|---|", *lines]),
            logbooks=self._logbooks,
            level="Info" if stop["exit_status"] == "success" else "Problem",
            properties={"bluesky": {"uid": start["uid"], "scan_id": start.get("scan_id")}},
            spool=True,
        )


if __name__ == "__main__":
    from bluesky import RunEngine
    from bluesky.plans import count
    from ophyd.sim import det

    with Client() as client:
        engine = RunEngine({})
        engine.subscribe(LogbookCallback(client, "operations"))
        engine(count([det], num=5))
