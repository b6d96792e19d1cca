#!/usr/bin/env python3
"""Posts a mail with its attachments. In /etc/aliases:

logbook: "|/opt/scripts/mail_pipe.py"
"""

import os
import sys
from email import message_from_binary_file
from email.policy import default

from logbook_client import Client

mail = message_from_binary_file(sys.stdin.buffer, policy=default)
body = mail.get_body(("plain", "html"))
text = body.get_content() if body is not None else ""
files = []
for part in mail.iter_attachments():
    content = part.get_content()
    data = content.encode() if isinstance(content, str) else part.get_payload(decode=True)
    files.append((os.path.basename(part.get_filename() or "attachment"), data))

with Client() as logbook:
    logbook.post(
        mail["subject"] or "(no subject)",
        f"From {mail['from']}:\n\n{text}",
        logbooks="operations",
        # A mail is no markup.
        markup="none",
        files=files,
        spool=True,
    )
