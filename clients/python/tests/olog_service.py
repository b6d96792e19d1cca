"""A service of the family that Logbook replaces, which behaves like the recorded answers of version 6.0.2.

Recorded: the welcome page; `from` and `size` without `page`; no more than 10,000 results of a search; times in seconds,
in the form `yyyy-MM-dd HH:mm:ss.SSS`; ids from 0; without sign-in, 401 with an empty body for everything missing or
refused; no idempotency keys, entity tags or streams; null in many fields.
"""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Optional, Union
from urllib.parse import parse_qs, unquote, urlsplit

WELCOME = {
    "name": "Olog Service",
    "version": "6.0.2-SNAPSHOT",
    "elastic": {"status": "Failed to connect to elastic node"},
    "mongoDB": "{type=STANDALONE, servers=[{address=127.0.0.1:27117, type=STANDALONE, state=CONNECTED}]",
    "serverConfig": {"maxFileSize": 15.0, "maxRequestSize": 50.0},
}
USERS = {"admin": "adminPass", "user": "userPass"}
WINDOW = 10_000


class OlogService(ThreadingHTTPServer):
    """Runs in a thread of the test, with its entries in memory."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.entries: dict[int, dict[str, Any]] = {}
        self.archive: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}
        #: Number of next writes whose connection is cut once they are stored.
        self.lost_answers = 0
        #: Number of next writes that fail with an internal error.
        self.failures = 0
        #: Answers to all writes of entries with a title: a status, None for a cut connection, or the page with which a
        #: proxy forbids them.
        self.failing: dict[str, Union[int, bytes, None]] = {}
        #: Statuses of the next searches, in place of their results.
        self.search_failures: list[int] = []
        #: Statuses of the next requests for the welcome page, in place of it.
        self.welcome_failures: list[int] = []
        #: Entries that the index does not show yet.
        self.hidden: set[int] = set()
        self.requests: list[str] = []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/Olog"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores connections that are cut."""

    def create(self, owner: str, sent: dict[str, Any], created_ms: Optional[int] = None) -> dict[str, Any]:
        with self.lock:
            entry_id = len(self.entries)
            self.entries[entry_id] = {
                "id": entry_id,
                "owner": owner,
                "source": sent.get("source") or sent.get("description"),
                "description": re.sub(r"[*_`]", "", sent.get("description") or ""),
                "title": sent["title"],
                "level": sent.get("level"),
                "state": "Active",
                "createdDate": created_ms or int(time.time() * 1_000),
                "modifyDate": None,
                "events": sent.get("events"),
                "logbooks": [{"name": one["name"], "owner": None, "state": "Active"} for one in sent["logbooks"]],
                "tags": [{"name": one["name"], "state": "Active"} for one in sent.get("tags") or []],
                "properties": [_property(one) for one in sent.get("properties") or []],
                "attachments": [],
            }
            return self.entries[entry_id]

    def group(self, parent_id: int, reply: dict[str, Any]) -> None:
        parent = self.entries[parent_id]
        group = next((one for one in parent["properties"] if one["name"] == "Log Entry Group"), None)
        if group is None:
            group = _property(
                {"name": "Log Entry Group", "attributes": [{"name": "id", "value": f"group-{parent_id}"}]}
            )
            parent["properties"].append(group)
        reply["properties"].append(group)

    def update(self, entry_id: int, sent: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            entry = self.entries[entry_id]
            self.archive.append(entry)
            changed = {
                name: sent[name] for name in ("title", "source", "description", "level") if sent.get(name) is not None
            }
            lists = {name: sent[name] for name in ("logbooks", "tags", "properties") if sent.get(name) is not None}
            self.entries[entry_id] = {**entry, **changed, **lists, "modifyDate": int(time.time() * 1_000)}
            return self.entries[entry_id]

    def attach(self, entry: dict[str, Any], sent: dict[str, Any], files: dict[str, bytes]) -> None:
        for one in sent.get("attachments") or []:
            if one["filename"] in files:
                self.files[one["id"]] = files[one["filename"]]
                record = {**one, "fileMetadataDescription": "text/plain", "checksum": None}
                entry["attachments"] = [*entry["attachments"], record]

    def search(self, given: dict[str, list[str]]) -> Optional[dict[str, Any]]:
        value = {name: values[-1] for name, values in given.items()}
        size, start_at = int(value.get("size", "100")), int(value.get("from", "0"))
        start, end = _second(value.get("start")), _second(value.get("end"))
        if size < 0 or start_at + min(size, 1_000) > WINDOW or "T" in value.get("start", ""):
            return None
        names = {name: set(value[name].split(",")) for name in ("logbooks", "tags") if value.get(name)}
        with self.lock:
            found = [
                one
                for one in self.entries.values()
                if one["id"] not in self.hidden
                and (start is None or one["createdDate"] // 1_000 >= start)
                and (end is None or one["createdDate"] // 1_000 <= end)
                and all({each["name"] for each in one[name]} & wanted for name, wanted in names.items())
                and all(word in (one["description"] or "").lower() for word in value.get("text", "").lower().split())
                and all(word in one["title"].lower() for word in value.get("title", "").lower().split())
            ]
        sign = -1 if value.get("sort") == "down" else 1
        found.sort(key=lambda one: (sign * one["createdDate"], one["id"]))
        return {"hitCount": min(len(found), WINDOW), "logs": found[start_at : start_at + min(size, 1_000)]}


class _Handler(BaseHTTPRequestHandler):
    server: OlogService
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path, query = self._read_address()
        kind, _, name = path.strip("/").partition("/")
        lists = {
            "logbooks": [{"name": "operations", "owner": "admin", "state": "Active"}],
            "tags": [{"name": "alarm", "state": "Active"}],
            "levels": [{"name": "Problem", "defaultLevel": False}, {"name": "Info", "defaultLevel": True}],
            "properties": [{"name": "resource", "owner": "admin", "attributes": [{"name": "name"}, {"name": "file"}]}],
        }
        if path in ("", "/") and self.server.welcome_failures:
            self._refuse(self.server.welcome_failures.pop(0), "Not now")
        elif path in ("", "/"):
            self._send(200, WELCOME, "text/plain;charset=UTF-8")
        elif path in lists_paths(lists):
            self._send(200, lists[kind])
        elif path == "/logs/search" and self.server.search_failures:
            self._refuse(self.server.search_failures.pop(0), "Not now")
        elif path == "/logs/search":
            found = self.server.search(query)
            self._send(200, found) if found is not None else self._refuse(500, "Result window is too large")
        elif path.startswith("/logs/archived/"):
            found_versions = [one for one in self.server.archive if str(one["id"]).startswith(path.rsplit("/", 1)[-1])]
            self._send(200, {"hitCount": len(found_versions), "logs": found_versions[::-1][:10]})
        elif kind == "logs" and name.isdigit() and int(name) in self.server.entries:
            self._send(200, self.server.entries[int(name)])
        elif kind == "attachment" and name in self.server.files:
            self._send_bytes(200, self.server.files[name], "text/plain")
        else:
            self._refuse(404, f"No static resource {path}.")

    def do_PUT(self) -> None:
        path, query = self._read_address()
        sent, files = self._read_body()
        user = self._user()
        if user is None:
            return self._send_bytes(401, b"", None)
        if self.server.failures > 0:
            self.server.failures -= 1
            return self._refuse(500, "Internal error")
        if sent.get("title") in self.server.failing:
            status = self.server.failing[sent["title"]]
            if status is None:
                self.close_connection = True
                return self.connection.close()
            if isinstance(status, bytes):
                return self._send_bytes(403, status, "text/html")
            return self._refuse(status, "Not this one")
        if sent.get("title") is None:
            return self._refuse(500, 'Cannot invoke "String.isEmpty()" because the return value is null')
        if any(one["name"] not in ("operations", "controls") for one in sent.get("logbooks", [])):
            return self._refuse(400, "One or more invalid logbook name(s)")
        entry = self.server.create(user, sent)
        self.server.attach(entry, sent, files)
        if query.get("inReplyTo"):
            self.server.group(int(query["inReplyTo"][0]), entry)
        self._answer_write(entry)

    def do_POST(self) -> None:
        path, _ = self._read_address()
        sent, files = self._read_body()
        if self._user() is None:
            return self._send_bytes(401, b"", None)
        entry_id = int(sent["id"]) if path == "/logs/multipart" else int(path.rsplit("/", 1)[-1])
        entry = self.server.update(entry_id, sent)
        self.server.attach(entry, sent, files)
        self._answer_write(entry)

    def _answer_write(self, entry: dict[str, Any]) -> None:
        if self.server.lost_answers > 0:
            self.server.lost_answers -= 1
            self.close_connection = True
            self.connection.close()
        else:
            self._send(200, entry)

    def _read_address(self) -> tuple[str, dict[str, list[str]]]:
        parts = urlsplit(self.path)
        self.server.requests.append(f"{self.command} {self.path}")
        return unquote(re.sub(r"^/Olog", "", parts.path)), parse_qs(parts.query, keep_blank_values=True)

    def _read_body(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        kind = self.headers.get("Content-Type", "")
        if not kind.startswith("multipart/"):
            return json.loads(body or b"{}"), {}
        form = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
        sent: dict[str, Any] = {}
        files: dict[str, bytes] = {}
        for part in form.iter_parts():
            content = part.get_payload(decode=True)
            if part.get_param("name", header="content-disposition") == "logEntry":
                sent = json.loads(content)
            else:
                files[str(part.get_filename())] = content
        return sent, files

    def _user(self) -> Optional[str]:
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic":
            return None
        name, _, password = base64.b64decode(value).decode().partition(":")
        return name if USERS.get(name) == password else None

    def _refuse(self, status: int, message: str) -> None:
        """Answers with an error page. The page itself needs a sign-in, so without one the answer is 401."""
        if self._user() is None:
            return self._send_bytes(401, b"", None)
        self._send(status, {"timestamp": 0, "status": status, "error": "", "message": message, "path": self.path})

    def _send(self, status: int, body: Any, kind: str = "application/json") -> None:
        self._send_bytes(status, json.dumps(body).encode(), kind)

    def _send_bytes(self, status: int, body: bytes, kind: Optional[str]) -> None:
        self.send_response(status)
        if kind is not None:
            self.send_header("Content-Type", kind)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="Realm"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Writes nothing, because no test reads it."""


def lists_paths(lists: dict[str, Any]) -> set[str]:
    return {f"/{name}" for name in lists}


def _property(sent: dict[str, Any]) -> dict[str, Any]:
    attributes = [{"name": one["name"], "value": one.get("value"), "state": "Active"} for one in sent["attributes"]]
    return {"name": sent["name"], "owner": None, "state": "Active", "attributes": attributes}


def _second(text: Optional[str]) -> Optional[int]:
    """Seconds of a time in UTC, without its milliseconds. A text that is not a time means now."""
    if not text:
        return None
    import calendar

    hours = re.match(r"(\d+) hours?$", text)
    if hours or not re.match(r"\d{4}-", text):
        return int(time.time()) - (3_600 * int(hours.group(1)) if hours else 0)
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%d %H:%M:%S"))
