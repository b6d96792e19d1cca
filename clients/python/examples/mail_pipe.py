#!/usr/bin/env python3
"""Posts a mail with its attachments. In /etc/aliases:

logbook: "|/opt/scripts/mail_pipe.py"
"""

import os
import sys
from email import message_from_binary_file
from email.message import EmailMessage
from email.policy import default

from logbook_client import Client


def content_of(part: EmailMessage) -> bytes:
    """The bytes of a part; a mail that was forwarded as an attachment stays a mail."""
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b"".join(one.as_bytes() for one in part.iter_parts())


def text_of(part: EmailMessage) -> str:
    """The text of a part; characters that are not in its encoding are replaced."""
    try:
        return content_of(part).decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:
        return content_of(part).decode("latin-1")


mail = message_from_binary_file(sys.stdin.buffer, policy=default)
body = mail.get_body(("plain", "html"))
files = [(os.path.basename(part.get_filename() or "attachment"), content_of(part)) for part in mail.iter_attachments()]

with Client() as logbook:
    logbook.post(
        str(mail["subject"] or "").strip() or "(no subject)",
        f"From {mail['from']}:\n\n{text_of(body) if body is not None else ''}",
        logbooks="operations",
        # The text of a mail contains no markup.
        markup="none",
        files=files,
        spool=True,
    )
