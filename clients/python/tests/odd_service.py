"""A server that answers every request in the same way, such as a proxy or a sign-in page before the service."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Mapping


class OddService(ThreadingHTTPServer):
    """Runs in a thread of the test."""

    daemon_threads = True

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = status
        self.headers = headers
        self.body = body
        #: Headers and bodies of the answers to the next requests for changes, which are different.
        self.streams: list[tuple[Mapping[str, str], bytes]] = []
        #: Requests that it has received, with their credentials.
        self.requests: list[tuple[str, object]] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/logbook"

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores connections that are cut."""


class _Handler(BaseHTTPRequestHandler):
    server: OddService
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.server.requests.append((self.path, self.headers.get("Authorization")))
        headers, body = self.server.headers, self.server.body
        if "/changes" in self.path and self.server.streams:
            headers, body = self.server.streams.pop(0)
        self.send_response(self.server.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = answer

    def log_message(self, *_: Any) -> None:
        """Writes nothing, because no test reads it."""
