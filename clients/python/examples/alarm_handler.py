#!/usr/bin/env python3
"""Posts an alarm, as an alarm server calls it: alarm_handler.py NAME SEVERITY VALUE

The first alarm of a device opens a thread; the alarms of the same device within an hour are replies to it.
"""

import sys
from datetime import timedelta

from logbook_client import Client, LogbookError

name, severity, value = sys.argv[1:4]
fields = {"tags": ["alarm"], "level": "Problem" if severity == "MAJOR" else "Info"}
text = f"{name} is {severity}: `{value}`"

with Client() as logbook:
    first = None
    try:
        wanted = {"properties": f"resource.name.{name}", "tags": "alarm", "start": timedelta(hours=1)}
        first = next(iter(logbook.search(sort="up", limit=1, **wanted)), None)
    except LogbookError as error:
        # Post the alarm anyway, without its thread.
        print(f"The thread of the alarm cannot be found: {error}", file=sys.stderr)
    if first is not None:
        fields["reply_to"] = first
    logbook.post(
        f"Alarm of {name}",
        text,
        logbooks="operations",
        properties={"resource": {"name": name}},
        spool=True,
        **fields,
    )
