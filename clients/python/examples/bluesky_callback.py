#!/usr/bin/env python3
"""Records each run of a bluesky RunEngine in an entry that grows while the scan continues."""

from bluesky import RunEngine
from bluesky.plans import count
from logbook_client import Client
from logbook_client.bluesky import LogbookCallback
from ophyd.sim import det

with Client() as client, LogbookCallback(client, "operations") as callback:
    engine = RunEngine({})
    engine.subscribe(callback)
    engine(count([det], num=5))
