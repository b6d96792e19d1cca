"""A proxy that loses answers: the service does what was asked, and the client does not learn it."""

from __future__ import annotations

import socket
import threading


class CuttingProxy:
    """Passes connections on to a port of this machine."""

    def __init__(self, port: int) -> None:
        self._target = port
        #: Number of answers that are still to be lost.
        self.lost_answers = 0
        #: Whether answers are lost while the connection stays open.
        self.withholds_answers = False
        self._connections: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/logbook"

    @property
    def direct_url(self) -> str:
        """Address of the service itself."""
        return f"http://127.0.0.1:{self._target}/logbook"

    def cut(self) -> None:
        """Cuts all connections."""
        for connection in list(self._connections):
            _shut(connection)

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                service = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._connections |= {client, service}
            threading.Thread(target=self._copy, args=(client, service, False), daemon=True).start()
            threading.Thread(target=self._copy, args=(service, client, True), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        try:
            while data := source.recv(65_536):
                if is_answer and self.lost_answers > 0:
                    self.lost_answers -= 1
                    break
                if is_answer and self.withholds_answers:
                    continue
                target.sendall(data)
        except OSError:
            pass
        _shut(source)
        _shut(target)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()
